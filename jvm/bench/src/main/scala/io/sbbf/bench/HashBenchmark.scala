package io.sbbf.bench

import net.openhft.hashing.LongHashFunction
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.{Kernel, ScalarKernel, VectorKernel}

/**
 * The base of the benchmarks of hashes: the contestants, who all hash batch after batch into the
 * same few hashes. The subclasses, of which a JVM loads one, supply the keys.
 */
abstract class HashBenchmark(keys: Int) extends KernelBenchmark {
  protected val hashes = new Array[Long](KernelBenchmark.Batch)
  protected val reference: LongHashFunction = LongHashFunction.xx()
  protected val parquet = new BlockSplitBloomFilter(32)

  /** Hashes a batch into `hashes` with our kernel. */
  protected def hash(kernel: Kernel, from: Int, until: Int): Unit

  /** Returns the hash of key `i` by zero-allocation-hashing. */
  protected def referenceHash(i: Int): Long

  /** Returns the hash of key `i` by parquet-java. */
  protected def parquetHash(i: Int): Long

  @Benchmark def scalar(): Array[Long] = inBatches(hash(ScalarKernel, _, _))
  @Benchmark def vector(): Array[Long] = inBatches(hash(VectorKernel, _, _))

  @Benchmark def zeroAllocationHashing(): Array[Long] = inBatches { (from, until) =>
    var i = from
    while (i < until) {
      hashes(i - from) = referenceHash(i)
      i += 1
    }
  }

  @Benchmark def parquetJava(): Array[Long] = inBatches { (from, until) =>
    var i = from
    while (i < until) {
      hashes(i - from) = parquetHash(i)
      i += 1
    }
  }

  private def inBatches(hash: (Int, Int) => Unit): Array[Long] = {
    var from = 0
    while (from < keys) {
      hash(from, from + hashes.length)
      from += hashes.length
    }
    hashes
  }
}

/** Measures the cost of the hash of one 4-byte number. */
@OperationsPerInvocation(KernelBenchmark.Keys)
class HashIntBenchmark extends HashBenchmark(KernelBenchmark.Keys) {
  private val keys = KernelBenchmark.longs(1).map(_.toInt)

  override protected def hash(kernel: Kernel, from: Int, until: Int): Unit =
    kernel.hashInts(keys, from, until, hashes, 0)

  override protected def referenceHash(i: Int): Long = reference.hashInt(keys(i))
  override protected def parquetHash(i: Int): Long = parquet.hash(keys(i))
}

/** Measures the cost of the hash of one 8-byte number. */
@OperationsPerInvocation(KernelBenchmark.Keys)
class HashLongBenchmark extends HashBenchmark(KernelBenchmark.Keys) {
  private val keys = KernelBenchmark.longs(1)

  override protected def hash(kernel: Kernel, from: Int, until: Int): Unit =
    kernel.hashLongs(keys, from, until, hashes, 0)

  override protected def referenceHash(i: Int): Long = reference.hashLong(keys(i))
  override protected def parquetHash(i: Int): Long = parquet.hash(keys(i))
}
