package io.sbbf.bench

import java.util.SplittableRandom

import io.sbbf.core.kernel.Kernels

/**
 * Measures how long a fresh JVM takes to its first results. It hashes 1,000 longs and 1,000 byte
 * strings of 16 to 36 bytes, and probes a filter for each.
 *
 * Prints two lines: the nanoseconds from the first line of `main` on, and the same without the
 * time to make the keys. The system property `sbbf.kernel` sets the mode.
 */
object ColdStart {
  private final val Keys = 1000

  def main(args: Array[String]): Unit = {
    val start = System.nanoTime()
    val random = new SplittableRandom(1)
    val longs = new Array[Long](Keys)
    val offsets = new Array[Int](Keys + 1)
    var i = 0
    while (i < Keys) {
      longs(i) = random.nextLong()
      offsets(i + 1) = offsets(i) + random.nextInt(16, 37)
      i += 1
    }
    val bytes = bitsOf(random, offsets(Keys))
    val bitset = bitsOf(random, 64 * 1024)
    val hashes = new Array[Long](Keys)
    val matches = new Array[Long](Keys / 64 + 1)

    val ready = System.nanoTime()
    Kernels.hashLongs(longs, 0, Keys, hashes, 0)
    Kernels.probe(bitset, hashes, 0, Keys, matches)
    Kernels.hashBytes(bytes, offsets, 0, Keys, hashes, 0)
    Kernels.probe(bitset, hashes, 0, Keys, matches)
    val end = System.nanoTime()
    println(end - start)
    println(end - ready)
  }

  private def bitsOf(random: SplittableRandom, length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    var i = 0
    while (i < length) {
      bytes(i) = random.nextInt().toByte
      i += 1
    }
    bytes
  }
}
