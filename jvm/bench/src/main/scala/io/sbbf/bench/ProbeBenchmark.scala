package io.sbbf.bench

import java.util.concurrent.TimeUnit

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.openjdk.jmh.annotations._

import io.sbbf.core.SplitBlockBloomFilter

/**
 * What does it cost to ask a filter for one hash, by where the filter lies and whether it holds
 * the hash?
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(Keys.Count)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
class ProbeBenchmark {

  /**
   * In bytes: 128 KiB lies in a core's own cache, 2 MiB at its edge, 32 MiB in shared cache or
   * memory.
   */
  @Param(Array("131072", "2097152", "33554432"))
  var filterBytes: Int = _

  @Param(Array("hit", "miss"))
  var answer: String = _

  private var bitset: Array[Byte] = _
  private var parquet: BlockSplitBloomFilter = _
  private var probes: Array[Long] = _

  @Setup def fill(): Unit = {
    bitset = new Array[Byte](filterBytes)
    val absent = Keys.longs(2)
    // 10.5 bits a value, which is an FPP of 1 % (the specification's "Sizing an SBBF").
    val present = Keys.longs(1, (8L * filterBytes / 10.5).toInt)
    present.foreach(SplitBlockBloomFilter.insert(bitset, _))
    parquet = new BlockSplitBloomFilter(bitset)
    probes =
      if (answer == "miss") absent
      else absent.map(r => present((r & Int.MaxValue).toInt % present.length))
  }

  @Benchmark def sbbf(): Int = {
    var found = 0
    var i = 0
    while (i < probes.length) {
      if (SplitBlockBloomFilter.mightContain(bitset, probes(i))) found += 1
      i += 1
    }
    found
  }

  @Benchmark def parquetJava(): Int = {
    var found = 0
    var i = 0
    while (i < probes.length) {
      if (parquet.findHash(probes(i))) found += 1
      i += 1
    }
    found
  }
}
