package io.sbbf.core.bloom

import scala.util.Random

import io.sbbf.core.kernel.ScalarKernel

/** Compares the false positives of real filters with the formulas. */
class FalsePositivesSuite extends RandomSuite {

  private final val Probes = 1 << 21

  /** What was observed, and its standard deviation from the truth. */
  private final class Observed(val share: Double, val deviation: Double)

  /**
   * Probes many small filters or few large ones for as many absent values in total. The result
   * varies with the probes, and with how evenly the values of each filter happened to fall.
   */
  private def observed(random: Random, ndv: Int, numBytes: Int): Observed = {
    val filters = math.max(4, math.min(200, 4000000 / ndv))
    val probes = Probes / filters
    var found = 0L
    val own = Array.fill(filters) {
      val bitset = new Array[Byte](numBytes)
      ScalarKernel.insert(bitset, Array.fill(ndv)(random.nextLong()), 0, ndv)
      val matches = new Array[Long]((probes + 63) / 64)
      ScalarKernel.probe(bitset, Array.fill(probes)(random.nextLong()), 0, probes, matches)
      found += matches.map(java.lang.Long.bitCount(_).toLong).sum
      BloomFilterStats.effectiveFpp(bitset)
    }
    val share = found.toDouble / (probes.toLong * filters)
    val mean = own.sum / filters
    val variance = own.map(fpp => (fpp - mean) * (fpp - mean)).sum / (filters - 1)
    new Observed(
      share,
      math.sqrt(mean * (1 - mean) / (probes.toLong * filters) + variance / filters))
  }

  randomTest("filters of 1,000 to 1,000,000 values have the FPP of the exact formula") { random =>
    for (ndv <- Seq(1000, 10000, 100000, 1000000); fpp <- Seq(0.1, 0.01, 0.001)) {
      val numBytes = FilterSizing.bytesFor(ndv.toLong, fpp)
      val exact = FilterSizing.falsePositiveProbability(ndv.toLong, numBytes)
      val real = observed(random, ndv, numBytes)
      info(f"$ndv%,9d values, $numBytes%,9d bytes: observed ${real.share}%.6f, exact $exact%.6f")
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
      info(f"requested $fpp, observed ${real.share}%.6f: ${real.share / fpp}%.2f times")
      assert(math.abs(real.share - factor * fpp) < 5 * real.deviation + 0.01 * factor * fpp)
    }
  }
}
