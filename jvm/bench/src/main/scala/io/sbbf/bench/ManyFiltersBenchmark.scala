package io.sbbf.bench

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.{Kernel, ScalarKernel, VectorKernel}

/**
 * What does it cost to ask 2,000 row groups' filters of 64 KiB for 1,000 keys that none of them
 * holds, for each pair of a key and a filter? `all` asks for every answer, `any` only whether a
 * filter might hold one of the keys. Sorting the hashes, once for all filters, is part of the time.
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

  @Benchmark def scalar(): Long = asked(ScalarKernel)
  @Benchmark def vector(): Long = asked(VectorKernel)

  private def asked(kernel: Kernel): Long = {
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
