package io.sbbf.bench

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.{Kernel, ScalarKernel, VectorKernel}

/** Measures the cost of inserting one hash, by where the filter is stored. */
@OperationsPerInvocation(KernelBenchmark.Keys)
class InsertBenchmark extends KernelBenchmark {

  /**
   * In bytes: 128 KiB fits a core's own cache, 2 MiB is at its edge, 32 MiB is in shared cache or
   * memory.
   */
  @Param(Array("131072", "2097152", "33554432"))
  var filterBytes: Int = _

  private val hashes = KernelBenchmark.longs(1)
  private var bitset: Array[Byte] = _
  private var parquet: BlockSplitBloomFilter = _

  @Setup def allocate(): Unit = {
    bitset = new Array[Byte](filterBytes)
    parquet = new BlockSplitBloomFilter(filterBytes)
  }

  @Benchmark def scalar(): Array[Byte] = filled(ScalarKernel)
  @Benchmark def vector(): Array[Byte] = filled(VectorKernel)

  private def filled(kernel: Kernel): Array[Byte] = {
    kernel.insert(bitset, hashes, 0, hashes.length)
    bitset
  }

  @Benchmark def parquetJava(): BlockSplitBloomFilter = {
    var i = 0
    while (i < hashes.length) {
      parquet.insertHash(hashes(i))
      i += 1
    }
    parquet
  }
}
