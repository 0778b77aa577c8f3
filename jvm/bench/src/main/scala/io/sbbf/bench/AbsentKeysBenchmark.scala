package io.sbbf.bench

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.{Kernel, ScalarKernel, VectorKernel}

/**
 * Measures the cost of an IN list of 100,000 values that no filter of 2,000 row groups holds, so
 * that every filter is probed for every value. Filters hold few values for their 64 KiB, as
 * filters that can refute so long a list must.
 *
 * Two threads share the row groups, as the planner's do. Reports nanoseconds per pair of a value
 * and a filter, of which there are 200 million. The time includes sorting the hashes, once for
 * all filters.
 */
@BenchmarkMode(Array(Mode.SingleShotTime))
@Warmup(iterations = 3)
@Measurement(iterations = 5)
@OperationsPerInvocation(AbsentKeysBenchmark.Keys * ManyFiltersBenchmark.Filters)
class AbsentKeysBenchmark extends KernelBenchmark {
  import ManyFiltersBenchmark.{FilterBytes, Filters}

  @Param(Array("random", "sorted"))
  var order: String = _

  private val hashes = KernelBenchmark.longs(-1, AbsentKeysBenchmark.Keys)
  private var bitsets: Array[Array[Byte]] = _
  private var parquet: Array[BlockSplitBloomFilter] = _

  @Setup def fill(): Unit = {
    bitsets = Array.tabulate(Filters) { seed =>
      val bitset = new Array[Byte](FilterBytes)
      ScalarKernel.insert(bitset, KernelBenchmark.longs(seed, 1000), 0, 1000)
      bitset
    }
    parquet = bitsets.map(new BlockSplitBloomFilter(_))
  }

  @Benchmark def scalar(): Int = probe(ScalarKernel)
  @Benchmark def vector(): Int = probe(VectorKernel)

  private def probe(kernel: Kernel): Int = {
    val hashes = KernelBenchmark.inOrder(this.hashes, order)
    onTwoThreads(f => kernel.containsAny(bitsets(f), hashes, 0, hashes.length))
  }

  @Benchmark def parquetJava(): Int = {
    val hashes = KernelBenchmark.inOrder(this.hashes, order)
    onTwoThreads { f =>
      var i = 0
      while (i < hashes.length && !parquet(f).findHash(hashes(i))) i += 1
      i < hashes.length
    }
  }

  /** Returns the number of filters in which a value was found. */
  private def onTwoThreads(isFound: Int => Boolean): Int = {
    def half(first: Int) = {
      var found = 0
      var f = first
      while (f < Filters) {
        if (isFound(f)) found += 1
        f += 2
      }
      found
    }
    var odd = 0
    val other = new Thread(() => odd = half(1))
    other.start()
    val even = half(0)
    other.join()
    even + odd
  }
}

object AbsentKeysBenchmark {
  final val Keys = 100000
}
