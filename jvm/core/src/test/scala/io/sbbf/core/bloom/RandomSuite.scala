package io.sbbf.core.bloom

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/**
 * Runs tests on random input. Each run has a new seed and prints it. `SBBF_SEED` sets the seed to
 * repeat a run.
 */
abstract class RandomSuite extends AnyFunSuite {
  private val seed = sys.env.get("SBBF_SEED").map(_.toLong).getOrElse(System.nanoTime())

  protected def randomTest(name: String)(body: Random => Unit): Unit = test(name) {
    info(s"SBBF_SEED=$seed")
    withClue(s"SBBF_SEED=$seed: ")(body(new Random(seed)))
  }

  protected def randomBytes(random: Random, length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    random.nextBytes(bytes)
    bytes
  }

  protected def filterOf(numBytes: Int, hashes: Array[Long]): Array[Byte] = {
    val bitset = new Array[Byte](numBytes)
    hashes.foreach(SplitBlockBloomFilter.insert(bitset, _))
    bitset
  }
}
