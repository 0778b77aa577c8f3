package io.sbbf.bench

import scala.util.Random

import net.openhft.hashing.LongHashFunction
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.apache.parquet.io.api.Binary
import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.{Kernel, ScalarKernel, VectorKernel}

/**
 * What does the hash of one byte string cost, by its length? The strings lie one after the other
 * in one array, as a page has them; so many as fit a core's own caches at most lengths.
 */
@OperationsPerInvocation(HashBytesBenchmark.Strings)
class HashBytesBenchmark extends KernelBenchmark {
  import HashBytesBenchmark.Strings

  /** In bytes: a short code, a UUID, a UUID's text, a URL; and words of a text. */
  @Param(Array("8", "16", "36", "64", "4-40"))
  var length: String = _

  private var bytes: Array[Byte] = _
  private var offsets: Array[Int] = _
  private val hashes = new Array[Long](Strings)
  private val reference = LongHashFunction.xx()
  private val parquet = new BlockSplitBloomFilter(32)

  @Setup def fill(): Unit = {
    val random = new Random(1)
    val bounds = length.split('-').map(_.toInt)
    def next() = bounds.head + random.nextInt(bounds.last - bounds.head + 1)
    offsets = Iterator.continually(next()).take(Strings).scanLeft(0)(_ + _).toArray
    bytes = new Array[Byte](offsets.last)
    random.nextBytes(bytes)
  }

  @Benchmark def scalar(): Array[Long] = hashed(ScalarKernel)
  @Benchmark def vector(): Array[Long] = hashed(VectorKernel)

  private def hashed(kernel: Kernel): Array[Long] = {
    kernel.hashBytes(bytes, offsets, 0, Strings, hashes, 0)
    hashes
  }

  @Benchmark def zeroAllocationHashing(): Array[Long] = {
    var i = 0
    while (i < Strings) {
      hashes(i) = reference.hashBytes(bytes, offsets(i), offsets(i + 1) - offsets(i))
      i += 1
    }
    hashes
  }

  @Benchmark def parquetJava(): Array[Long] = {
    var i = 0
    while (i < Strings) {
      val value =
        Binary.fromConstantByteArray(bytes, offsets(i), offsets(i + 1) - offsets(i))
      hashes(i) = parquet.hash(value)
      i += 1
    }
    hashes
  }
}

object HashBytesBenchmark {
  final val Strings = 1 << 16
}
