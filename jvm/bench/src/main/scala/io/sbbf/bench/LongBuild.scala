package io.sbbf.bench

import io.sbbf.core.kernel.Kernels

/**
 * Measures how fast a long build of a filter becomes in a fresh JVM. Hashes some 400 million
 * longs and inserts them into a filter of 2 MiB, in batches.
 *
 * Prints tab-separated lines. After each 4 million keys: `step`, the number of keys so far and
 * the nanoseconds per key of these 4 million. For each choice of a kernel, also those made
 * before: `choice`, the keys and nanoseconds until then, and the choice. The system property
 * `sbbf.kernel` sets the mode.
 */
object LongBuild {
  import KernelBenchmark.Batch

  private final val StepKeys = 1 << 22
  private final val Steps = 96

  @volatile private var inserted = 0L

  def main(args: Array[String]): Unit = {
    val longs = KernelBenchmark.longs(1)
    val hashes = new Array[Long](Batch)
    val bitset = new Array[Byte](2 << 20)
    val start = System.nanoTime()
    Kernels.onChoice { choice =>
      println(s"choice\t$inserted\t${System.nanoTime() - start}\t$choice")
    }
    var step = 0
    while (step < Steps) {
      val begin = System.nanoTime()
      insert(longs, hashes, bitset)
      println(s"step\t$inserted\t${(System.nanoTime() - begin).toDouble / StepKeys}")
      step += 1
    }
  }

  /** Inserts a step's keys, which repeat the same million. */
  private def insert(longs: Array[Long], hashes: Array[Long], bitset: Array[Byte]): Unit = {
    var done = 0
    while (done < StepKeys) {
      val from = done % longs.length
      Kernels.hashLongs(longs, from, from + Batch, hashes, 0)
      Kernels.insert(bitset, hashes, 0, Batch)
      done += Batch
      inserted += Batch
    }
  }
}
