package io.sbbf.core.bloom

import scala.util.Random

import io.sbbf.core.kernel.ScalarKernel

/** How often real filters lie, against what the formulas say. */
class FalsePositivesSuite extends RandomSuite {

  private final val Probes = 1 << 21

  /** What was observed, and how far it may be from the truth: one standard deviation. */
  private final class Observed(val share: Double, val deviation: Double)

  /**
   * Many small filters or few large ones, together asked for as many absent values: chance is in
   * the probes, and in how evenly each filter's values happened to fall.
   */
  private def observed(random: Random, ndv: Int, numBytes: Int): Observed = {
    val filters = math.max(4, math.min(200, 4000000 / ndv))
    val asked = Probes / filters
    var found = 0L
    val own = Array.fill(filters) {
      val bitset = new Array[Byte](numBytes)
      ScalarKernel.insert(bitset, Array.fill(ndv)(random.nextLong()), 0, ndv)
      val matches = new Array[Long]((asked + 63) / 64)
      ScalarKernel.probe(bitset, Array.fill(asked)(random.nextLong()), 0, asked, matches)
      found += matches.map(java.lang.Long.bitCount(_).toLong).sum
      BloomFilterStats.effectiveFpp(bitset)
    }
    val share = found.toDouble / (asked.toLong * filters)
    val mean = own.sum / filters
    val variance = own.map(fpp => (fpp - mean) * (fpp - mean)).sum / (filters - 1)
    new Observed(
      share,
      math.sqrt(mean * (1 - mean) / (asked.toLong * filters) + variance / filters))
  }

  randomTest("filters of 1,000 to 1,000,000 values lie as often as the exact formula says") {
    random =>
      for (ndv <- Seq(1000, 10000, 100000, 1000000); fpp <- Seq(0.1, 0.01, 0.001)) {
        val numBytes = FilterSizing.bytesFor(ndv.toLong, fpp)
        val exact = FilterSizing.falsePositiveProbability(ndv.toLong, numBytes)
        val real = observed(random, ndv, numBytes)
        info(
          f"$ndv%,9d values, $numBytes%,9d bytes: observed ${real.share}%.6f, exact $exact%.6f")
        assert(exact <= fpp)
        assert(math.abs(real.share - exact) < 5 * real.deviation, s"$ndv values at $fpp")
      }
  }

  randomTest("the size by the closed form misses its FPP by the documented factor") { random =>
    // the figures of docs/kernels.md
    for ((fpp, factor) <- Seq(0.1 -> 1.13, 0.01 -> 1.46, 0.001 -> 2.08)) {
      val ndv = 200000
      val bits = -8.0 * ndv / math.log1p(-math.pow(fpp, 1.0 / 8))
      val numBytes = math.round(bits / 256).toInt * 32
      val real = observed(random, ndv, numBytes)
      info(f"asked $fpp, observed ${real.share}%.6f: ${real.share / fpp}%.2f times")
      assert(math.abs(real.share - factor * fpp) < 5 * real.deviation + 0.01 * factor * fpp)
    }
  }
}
