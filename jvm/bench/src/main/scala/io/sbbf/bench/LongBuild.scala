package io.sbbf.bench

import io.sbbf.core.kernel.Kernels

/**
 * How fast does a long build of a filter become in a fresh JVM? Hashes some 400 million longs and
 * inserts them into a filter of 2 MiB, in batches. Prints, tab-separated, `step`, the keys until
 * then and the nanoseconds a key of each 4 million keys in turn; and whenever a choice of kernel is
 * made or was made already: `choice`, the keys and nanoseconds until then and what was chosen. The
 * system property `sbbf.kernel` sets the mode.
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

  /** A step's keys, which repeat the same million. */
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
