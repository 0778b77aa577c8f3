package io.sbbf.bench

import java.util.concurrent.TimeUnit

import scala.util.Random

import org.openjdk.jmh.annotations._

import io.sbbf.core.BitSlices
import io.sbbf.core.kernel.{Kernel, ScalarKernel, VectorKernel}

/**
 * What does it cost to ask 100,000 row groups for one key, when the blocks of one number lie
 * together: bit-sliced, or 32 bytes after 32 bytes? Microseconds a key. Blocks have half of their
 * bits set; keys ask different positions.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@OperationsPerInvocation(SlicesBenchmark.AskedKeys)
class SlicesBenchmark extends KernelBenchmark {
  import SlicesBenchmark._

  private val hashes = KernelBenchmark.longs(2, AskedKeys)
  private val blocks = new Array[Byte](RowGroups * 32)
  private val answers = new Array[Long](BitSlices.wordsPerSlice(RowGroups))
  private var slices: Array[Long] = _

  /** The same keys, but asking row group after row group as if they were one filter's blocks. */
  private val byRowGroup = hashes.map { hash =>
    Array.tabulate(RowGroups) { r =>
      ((((r.toLong << 32) + RowGroups - 1) / RowGroups) << 32) | (hash & 0xffffffffL)
    }
  }

  @Setup def fill(): Unit = {
    new Random(1).nextBytes(blocks)
    slices = BitSlices.slice(blocks)
  }

  @Benchmark def bitSliced(): Array[Long] = {
    hashes.foreach(BitSlices.probe(slices, RowGroups, _, answers))
    answers
  }

  @Benchmark def scalar(): Array[Long] = inBlocks(ScalarKernel)
  @Benchmark def vector(): Array[Long] = inBlocks(VectorKernel)

  private def inBlocks(kernel: Kernel): Array[Long] = {
    byRowGroup.foreach(kernel.probe(blocks, _, 0, RowGroups, answers))
    answers
  }
}

object SlicesBenchmark {
  final val RowGroups = 100000
  final val AskedKeys = 16
}
