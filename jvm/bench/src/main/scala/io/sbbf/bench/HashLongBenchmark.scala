package io.sbbf.bench

import java.util.concurrent.TimeUnit

import net.openhft.hashing.LongHashFunction
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.openjdk.jmh.annotations._

import io.sbbf.core.XxHash64

/** What does the hash of one 8-byte key cost? */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(Keys.Count)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
class HashLongBenchmark {
  private val keys = Keys.longs(1)
  private val reference = LongHashFunction.xx()
  private val parquet = new BlockSplitBloomFilter(32)

  @Benchmark def sbbf(): Long = {
    var sum = 0L
    var i = 0
    while (i < keys.length) {
      sum += XxHash64.hashLong(keys(i))
      i += 1
    }
    sum
  }

  @Benchmark def zeroAllocationHashing(): Long = {
    var sum = 0L
    var i = 0
    while (i < keys.length) {
      sum += reference.hashLong(keys(i))
      i += 1
    }
    sum
  }

  @Benchmark def parquetJava(): Long = {
    var sum = 0L
    var i = 0
    while (i < keys.length) {
      sum += parquet.hash(keys(i))
      i += 1
    }
    sum
  }
}
