package io.sbbf.bench

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.{Kernel, ScalarKernel, VectorKernel}

/**
 * Measures the cost of probing a filter for one hash, by where the filter is stored and how many
 * of the hashes it holds.
 */
@OperationsPerInvocation(KernelBenchmark.Keys)
class ProbeBenchmark extends KernelBenchmark {

  /**
   * In bytes: 128 KiB fits a core's own cache, 2 MiB is at its edge, 32 MiB is in shared cache or
   * memory.
   */
  @Param(Array("131072", "2097152", "33554432"))
  var filterBytes: Int = _

  @Param(Array("0", "50", "100"))
  var hitPercent: Int = _

  private var bitset: Array[Byte] = _
  private var parquet: BlockSplitBloomFilter = _
  private val hashes = KernelBenchmark.longs(2)
  private val matches = new Array[Long](hashes.length / 64)

  @Setup def fill(): Unit = {
    bitset = new Array[Byte](filterBytes)
    val present = KernelBenchmark.longs(1, KernelBenchmark.ndvAtOnePercent(filterBytes))
    ScalarKernel.insert(bitset, present, 0, present.length)
    parquet = new BlockSplitBloomFilter(bitset)
    for (i <- hashes.indices if (hashes(i) >>> 8) % 100 < hitPercent) {
      hashes(i) = present((hashes(i) & Int.MaxValue).toInt % present.length)
    }
  }

  @Benchmark def scalar(): Array[Long] = probe(ScalarKernel)
  @Benchmark def vector(): Array[Long] = probe(VectorKernel)

  private def probe(kernel: Kernel): Array[Long] = {
    kernel.probe(bitset, hashes, 0, hashes.length, matches)
    matches
  }

  @Benchmark def parquetJava(): Int = {
    var found = 0
    var i = 0
    while (i < hashes.length) {
      if (parquet.findHash(hashes(i))) found += 1
      i += 1
    }
    found
  }
}
