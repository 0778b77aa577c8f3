package io.sbbf.bench

import net.openhft.hashing.LongHashFunction
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.{Kernel, ScalarKernel, VectorKernel}

/** What does the hash of one 4-byte number cost? */
@OperationsPerInvocation(KernelBenchmark.Keys)
class HashIntBenchmark extends KernelBenchmark {
  private val keys = KernelBenchmark.longs(1).map(_.toInt)
  private val hashes = new Array[Long](KernelBenchmark.Batch)
  private val reference = LongHashFunction.xx()
  private val parquet = new BlockSplitBloomFilter(32)

  @Benchmark def scalar(): Array[Long] = hashed(ScalarKernel)
  @Benchmark def vector(): Array[Long] = hashed(VectorKernel)

  private def hashed(kernel: Kernel): Array[Long] = inBatches { (from, until) =>
    kernel.hashInts(keys, from, until, hashes, 0)
  }

  @Benchmark def zeroAllocationHashing(): Array[Long] = inBatches { (from, until) =>
    var i = from
    while (i < until) {
      hashes(i - from) = reference.hashInt(keys(i))
      i += 1
    }
  }

  @Benchmark def parquetJava(): Array[Long] = inBatches { (from, until) =>
    var i = from
    while (i < until) {
      hashes(i - from) = parquet.hash(keys(i))
      i += 1
    }
  }

  private def inBatches(hash: (Int, Int) => Unit): Array[Long] = {
    var from = 0
    while (from < keys.length) {
      hash(from, from + hashes.length)
      from += hashes.length
    }
    hashes
  }
}
