package io.sbbf.bench

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.{Kernel, ScalarKernel, VectorKernel}

/**
 * Measures the cost of probing the filters of 2,000 row groups, 64 KiB each, for 1,000 keys that
 * none of them holds, per pair of a key and a filter. `all` requests every result, `any` only
 * whether a filter might hold one of the keys. The time includes sorting the hashes, once for all
 * filters.
 */
@OperationsPerInvocation(ManyFiltersBenchmark.Filters * ManyFiltersBenchmark.AbsentKeys)
class ManyFiltersBenchmark extends KernelBenchmark {
  import ManyFiltersBenchmark._

  @Param(Array("all", "any"))
  var question: String = _

  @Param(Array("random", "sorted"))
  var order: String = _

  private val hashes = KernelBenchmark.longs(-1, AbsentKeys)
  private val matches = new Array[Long](AbsentKeys / 64 + 1)
  private var bitsets: Array[Array[Byte]] = _
  private var parquet: Array[BlockSplitBloomFilter] = _

  @Setup def fill(): Unit = {
    bitsets = Array.tabulate(Filters) { seed =>
      val bitset = new Array[Byte](FilterBytes)
      val present = KernelBenchmark.longs(seed, KernelBenchmark.ndvAtOnePercent(FilterBytes))
      ScalarKernel.insert(bitset, present, 0, present.length)
      bitset
    }
    parquet = bitsets.map(new BlockSplitBloomFilter(_))
  }

  @Benchmark def scalar(): Long = probe(ScalarKernel)
  @Benchmark def vector(): Long = probe(VectorKernel)

  private def probe(kernel: Kernel): Long = {
    val hashes = KernelBenchmark.inOrder(this.hashes, order)
    var found = 0L
    var f = 0
    while (f < Filters) {
      if (question == "all") {
        kernel.probe(bitsets(f), hashes, 0, hashes.length, matches)
        found += matches(0)
      } else if (kernel.containsAny(bitsets(f), hashes, 0, hashes.length)) found += 1
      f += 1
    }
    found
  }

  @Benchmark def parquetJava(): Long = {
    val hashes = KernelBenchmark.inOrder(this.hashes, order)
    var found = 0L
    var f = 0
    while (f < Filters) {
      var i = 0
      var isFound = false
      while (i < hashes.length && !isFound) {
        if (parquet(f).findHash(hashes(i))) {
          found += 1
          isFound = question == "any"
        }
        i += 1
      }
      f += 1
    }
    found
  }
}

object ManyFiltersBenchmark {
  final val Filters = 2000
  final val FilterBytes = 64 * 1024
  final val AbsentKeys = 1000
}
