package io.sbbf.core.kernel

import scala.util.Random

/**
 * Runs in a JVM of its own. Prints a checksum of the kernels' results before and after they were
 * chosen, then the choice.
 */
object KernelSelectionMain {

  def main(arguments: Array[String]): Unit = {
    val before = checksum()
    val patience = System.nanoTime() + 60000000000L
    while (Kernels.implementationName.contains("at first") && System.nanoTime() < patience) {
      checksum()
    }
    println(before)
    println(checksum())
    println(Kernels.implementationName)
  }

  /**
   * Returns the checksum of every loop's results for a fixed input. None of its lengths is a
   * multiple of a vector's.
   */
  private def checksum(): Long = {
    val count = 4001
    val random = new Random(1)
    val values = Array.fill(count)(random.nextLong())
    val bytes = new Array[Byte](count * 37)
    random.nextBytes(bytes)
    val hashes = new Array[Long](4 * count)
    Kernels.hashLongs(values, 0, count, hashes, 0)
    Kernels.hashInts(values.map(_.toInt), 0, count, hashes, count)
    Kernels.hashBytes(bytes, Array.tabulate(count + 1)(_ * 37), 0, count, hashes, 2 * count)
    val uneven = values.map(v => (v & 31).toInt).scanLeft(0)(_ + _)
    Kernels.hashBytes(bytes, uneven, 0, count, hashes, 3 * count)
    val bitset = new Array[Byte](32 * 501)
    Kernels.insert(bitset, hashes, 0, 2 * count)
    val matches = new Array[Long](4 * count / 64 + 1)
    Kernels.probe(bitset, hashes, 0, hashes.length, matches)
    val any = Kernels.containsAny(bitset, hashes, 3 * count, 4 * count)
    (hashes ++ bitset.map(_.toLong) ++ matches :+ (if (any) 1L else 0L))
      .foldLeft(17L)((sum, x) => java.lang.Long.rotateLeft(sum * 31 + x, 7))
  }
}
