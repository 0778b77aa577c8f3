package io.sbbf.bench

import java.util.concurrent.TimeUnit

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.openjdk.jmh.annotations._

import io.sbbf.core.SplitBlockBloomFilter

/** What does it cost to insert one hash, by where the filter lies? */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(Keys.Count)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
class InsertBenchmark {

  /**
   * In bytes: 128 KiB lies in a core's own cache, 2 MiB at its edge, 32 MiB in shared cache or
   * memory.
   */
  @Param(Array("131072", "2097152", "33554432"))
  var filterBytes: Int = _

  private val hashes = Keys.longs(1)
  private var bitset: Array[Byte] = _
  private var parquet: BlockSplitBloomFilter = _

  @Setup def allocate(): Unit = {
    bitset = new Array[Byte](filterBytes)
    parquet = new BlockSplitBloomFilter(filterBytes)
  }

  @Benchmark def sbbf(): Array[Byte] = {
    var i = 0
    while (i < hashes.length) {
      SplitBlockBloomFilter.insert(bitset, hashes(i))
      i += 1
    }
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
