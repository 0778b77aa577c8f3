package io.sbbf.bench

import scala.util.Random

import org.apache.parquet.io.api.Binary
import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.Kernel

/**
 * Measures the cost of the hash of one byte string, by its length. The strings are stored one
 * after the other in one array, as in a page. At most lengths, all of them fit a core's own
 * caches.
 */
@OperationsPerInvocation(HashBytesBenchmark.Strings)
class HashBytesBenchmark extends HashBenchmark(HashBytesBenchmark.Strings) {
  import HashBytesBenchmark.Strings

  /** In bytes: a short code, a UUID, a UUID's text, a URL; and words of a text. */
  @Param(Array("8", "16", "36", "64", "4-40"))
  var length: String = _

  private var bytes: Array[Byte] = _
  private var offsets: Array[Int] = _

  /** The same strings as parquet-java takes them. It keeps no hash, but copies the bytes. */
  private var binaries: Array[Binary] = _

  @Setup def fill(): Unit = {
    val random = new Random(1)
    val bounds = length.split('-').map(_.toInt)
    def next() = bounds.head + random.nextInt(bounds.last - bounds.head + 1)
    offsets = Iterator.continually(next()).take(Strings).scanLeft(0)(_ + _).toArray
    bytes = new Array[Byte](offsets.last)
    random.nextBytes(bytes)
    binaries = Array.tabulate(Strings) { i =>
      Binary.fromConstantByteArray(bytes, offsets(i), offsets(i + 1) - offsets(i))
    }
  }

  override protected def hash(kernel: Kernel, from: Int, until: Int): Unit =
    kernel.hashBytes(bytes, offsets, from, until, hashes, 0)

  override protected def referenceHash(i: Int): Long =
    reference.hashBytes(bytes, offsets(i), offsets(i + 1) - offsets(i))

  override protected def parquetHash(i: Int): Long = parquet.hash(binaries(i))
}

object HashBytesBenchmark {
  final val Strings = 1 << 16
}
