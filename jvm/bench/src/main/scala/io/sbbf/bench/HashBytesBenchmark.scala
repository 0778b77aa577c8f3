package io.sbbf.bench

import java.util.concurrent.TimeUnit

import scala.util.Random

import net.openhft.hashing.LongHashFunction
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.apache.parquet.io.api.Binary
import org.openjdk.jmh.annotations._

import io.sbbf.core.XxHash64

/**
 * What does the hash of one byte key cost, by its length? Keys lie one after the other in one
 * array.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(Keys.Count)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
class HashBytesBenchmark {

  /** In bytes: a short code, a UUID, a UUID's text, a URL. */
  @Param(Array("8", "16", "36", "100"))
  var length: Int = _

  private var bytes: Array[Byte] = _
  private val reference = LongHashFunction.xx()
  private val parquet = new BlockSplitBloomFilter(32)

  @Setup def fill(): Unit = {
    bytes = new Array[Byte](Keys.Count * length)
    new Random(1).nextBytes(bytes)
  }

  @Benchmark def sbbf(): Long = {
    var sum = 0L
    var at = 0
    while (at < bytes.length) {
      sum += XxHash64.hashBytes(bytes, at, length)
      at += length
    }
    sum
  }

  @Benchmark def zeroAllocationHashing(): Long = {
    var sum = 0L
    var at = 0
    while (at < bytes.length) {
      sum += reference.hashBytes(bytes, at, length)
      at += length
    }
    sum
  }

  @Benchmark def parquetJava(): Long = {
    var sum = 0L
    var at = 0
    while (at < bytes.length) {
      sum += parquet.hash(Binary.fromConstantByteArray(bytes, at, length))
      at += length
    }
    sum
  }
}
