package io.sbbf.bench

import java.nio.{ByteBuffer, ByteOrder}
import java.util
import java.util.concurrent.TimeUnit

import scala.util.Random

import org.openjdk.jmh.annotations._

import io.sbbf.core.bloom.{BitSlices, SplitBlockBloomFilter}

/**
 * Measures the cost of probing 100,000 row groups for one key when their blocks of one number are
 * stored together, bit-sliced or 32 bytes after 32 bytes. Reports microseconds per key. Blocks
 * have half of their bits set; keys probe different positions.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@OperationsPerInvocation(SlicesBenchmark.ProbedKeys)
class SlicesBenchmark extends KernelBenchmark {
  import SlicesBenchmark._

  private val hashes = KernelBenchmark.longs(2, ProbedKeys)
  private val masks = hashes.map(maskOf)
  private val answers = new Array[Long](BitSlices.wordsPerSlice(RowGroups))
  private val words = new Array[Int](RowGroups * 8)
  private var slices: Array[Long] = _

  @Setup def fill(): Unit = {
    val blocks = new Array[Byte](RowGroups * SplitBlockBloomFilter.BytesPerBlock)
    new Random(1).nextBytes(blocks)
    slices = BitSlices.slice(blocks)
    ByteBuffer.wrap(blocks).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words)
  }

  @Benchmark def bitSliced(): Array[Long] = {
    var k = 0
    while (k < ProbedKeys) {
      BitSlices.probe(slices, RowGroups, hashes(k), answers)
      k += 1
    }
    answers
  }

  /** The baseline: compares the key's mask, made beforehand, with block after block. */
  @Benchmark def blockAfterBlock(): Array[Long] = {
    var k = 0
    while (k < ProbedKeys) {
      probe(masks(k))
      k += 1
    }
    answers
  }

  private def probe(mask: Array[Int]): Unit = {
    util.Arrays.fill(answers, 0L)
    var r = 0
    while (r < RowGroups) {
      val at = 8 * r
      val missing = mask(0) & ~words(at) | mask(1) & ~words(at + 1) |
        mask(2) & ~words(at + 2) | mask(3) & ~words(at + 3) |
        mask(4) & ~words(at + 4) | mask(5) & ~words(at + 5) |
        mask(6) & ~words(at + 6) | mask(7) & ~words(at + 7)
      if (missing == 0) answers(r / 64) |= 1L << r
      r += 1
    }
  }
}

object SlicesBenchmark {
  final val RowGroups = 100000
  final val ProbedKeys = 16

  /** Returns the block that holds `hash` alone. */
  private def maskOf(hash: Long): Array[Int] = {
    val block = new Array[Byte](SplitBlockBloomFilter.BytesPerBlock)
    SplitBlockBloomFilter.insert(block, hash)
    val mask = new Array[Int](8)
    ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(mask)
    mask
  }
}
