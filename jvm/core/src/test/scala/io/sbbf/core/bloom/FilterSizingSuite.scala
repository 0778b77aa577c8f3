package io.sbbf.core.bloom

import java.nio.file.{Files, Paths}

import scala.io.Source

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter

class FilterSizingSuite extends RandomSuite {
  import FilterSizing._

  private val sourceFile =
    Paths.get("jvm/core/src/main/scala/io/sbbf/core/bloom/FilterSizing.scala")

  test("the FPP equals the specification's examples of 10, 5 and 20 bits a value") {
    for ((ndv, percent, digits) <- Seq(
        (26214L, 1.26, 0.005),
        (52428L, 18.0, 0.5),
        (13107L, 0.04, 0.005))) {
      assert(math.abs(100 * falsePositiveProbability(ndv, 32768) - percent) < digits, ndv)
    }
  }

  test("the specification's table of bits a value gives its false positive probabilities") {
    for ((bits, fpp) <- Seq(
        6.0 -> 0.1,
        10.5 -> 0.01,
        16.9 -> 0.001,
        26.4 -> 0.0001,
        41.0 -> 0.00001)) {
      def fppAt(bits: Double) = falsePositiveProbability((8.0 * MaxBytes / bits).toLong, MaxBytes)
      // The table rounds up or down to one digit, in the last row to none.
      val rounding = if (bits == 41.0) 0.5 else 0.1
      assert(fppAt(bits - rounding) > fpp && fppAt(bits + rounding) < fpp, s"at $bits bits")
    }
  }

  test("the exact sum equals its expansion by the binomial theorem") {
    // (1 - q^i)^8 expanded, and E[q^(ki)] = e^(-mean (1 - q^k)) for a Poisson i.
    // It cancels badly below 10^-6.
    def expanded(mean: Double): Double = {
      val binomial = Seq(1, 8, 28, 56, 70, 56, 28, 8, 1)
      binomial.zipWithIndex.map { case (c, k) =>
        (if (k % 2 == 0) c else -c) * math.exp(-mean * (1 - math.pow(31.0 / 32, k)))
      }.sum
    }
    for (mean <- Seq(5, 10, 25, 50, 100, 300, 700, 1000, 1200, 1279, 1280, 1281, 2000)) {
      val ours = falsePositiveProbability(mean * 64L, 64 * 32)
      assert(math.abs(ours - expanded(mean)) < 1e-9 * ours + 1e-13, s"at $mean values a block")
    }
  }

  test("the probability is 0 for an empty filter, 1 for an overfull one, and grows between") {
    assert(falsePositiveProbability(0, 32) == 0)
    assert(falsePositiveProbability(1, MaxBytes) > 0)
    assert(falsePositiveProbability(Long.MaxValue, 32) == 1)
    assert(falsePositiveProbability(Long.MaxValue, MaxBytes) == 1)
    val growing = (0 to 3000).map(n => falsePositiveProbability(n.toLong, 64))
    val steps = growing.zip(growing.tail)
    assert(steps.take(500).forall { case (a, b) => a < b })
    assert(steps.forall { case (a, b) => a <= b + 1e-9 }) // near 1 only rounding is left
  }

  test("sizes equal those of Lance, which sums the same way, from one block on") {
    // Vectors of lance-index's own tests: fpp, ndv, log2 of the bytes before its lower bound.
    for ((fpp, ndv, log2) <- Seq(
        (0.1, 10, 3),
        (0.01, 10, 4),
        (0.001, 10, 5),
        (0.1, 100, 7),
        (0.01, 100, 8),
        (0.001, 100, 8),
        (0.1, 1000, 10),
        (0.01, 1000, 11),
        (0.001, 1000, 12))) {
      assert(bytesFor(ndv.toLong, fpp) == math.max(32, 1 << log2), s"for $ndv at $fpp")
    }
  }

  test("the closed form gives the sizes that the documentation of parquet-rs publishes") {
    val fpps = Seq(0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001)
    for ((ndv, kibs) <- Seq(
        10000 -> Seq(8, 16, 32, 32),
        100000 -> Seq(128, 128, 256, 512, 512),
        1000000 -> Seq(1024, 2048, 2048, 4096, 4096, 8192)))
      assert(fpps.take(kibs.size).map(closedFormBytes(ndv.toLong, _) >> 10) == kibs, s"for $ndv")
  }

  randomTest("a size keeps its FPP and half of it does not") { random =>
    for (_ <- 1 to 2000) {
      val ndv = math.exp(random.nextDouble() * math.log(1e9)).toLong
      val fpp = math.exp(-random.nextDouble() * math.log(1e6)) * 0.999
      val bytes = bytesFor(ndv, fpp)
      val clue = s"$ndv at $fpp: $bytes"
      assert(Integer.bitCount(bytes) == 1 && bytes >= MinBytes && bytes <= MaxBytes, clue)
      assert(bytes == MaxBytes || falsePositiveProbability(ndv, bytes) <= fpp, clue)
      assert(bytes == MinBytes || falsePositiveProbability(ndv, bytes / 2) > fpp, clue)
    }
  }

  randomTest("the closed form sizes as parquet-mr does, except for its rounding at the edge") {
    random =>
      for (_ <- 1 to 20000) {
        val ndv = math.exp(random.nextDouble() * math.log(1e9)).toLong
        val fpp = math.exp(-random.nextDouble() * math.log(1e6)) * 0.999
        val ours = closedFormBytes(ndv, fpp)
        val theirs = parquetBytes(ndv, fpp)
        val bits = -8 * ndv / math.log(1 - math.pow(fpp, 0.125))
        val expected =
          if (theirs > ours && bits > 8.0 * ours - 256) 2 * ours
          else if (theirs < ours && bits < 4.0 * ours + 9) ours / 2
          else ours
        assert(theirs == expected, s"$ndv at $fpp, $bits bits")
      }
  }

  private def parquetBytes(ndv: Long, fpp: Double): Int = {
    val bytes = BlockSplitBloomFilter.optimalNumOfBits(ndv, fpp) / 8
    val below = Integer.highestOneBit(bytes)
    math.min(MaxBytes, if (below == bytes) bytes else below * 2)
  }

  test("sizes end at one block and at 128 MiB") {
    for (size <- Seq[(Long, Double) => Int](bytesFor, closedFormBytes)) {
      assert(size(0, 0.01) == 32)
      assert(size(1, 0.9) == 32)
      assert(size(Long.MaxValue, 0.01) == 128 * 1024 * 1024)
      assert(size(1000000000L, 1e-5) == 128 * 1024 * 1024)
    }
  }

  test("the table in the documentation states the computed sizes") {
    val row = """ \* ([0-9,]+)((?: +[0-9,]+ [KM]?i?B)+)""".r
    val header = """ \* NDV +FPP (.*)""".r
    val lines = new String(Files.readAllBytes(sourceFile), "UTF-8").split("\n").toSeq
    val fpps = lines.collect { case header(cells) =>
      cells.trim.split(" +").map(_.toDouble).toSeq
    }.head
    val rows = lines.collect { case row(ndv, cells) =>
      ndv.replace(",", "").toLong -> cells.trim.split(" {2,}").toSeq
    }
    assert(fpps.size == 4 && rows.size == 6)
    for ((ndv, cells) <- rows) assert(cells == fpps.map(fpp => printed(bytesFor(ndv, fpp))), ndv)
  }

  private def printed(bytes: Int): String =
    if (bytes >= (1 << 20)) s"${bytes >> 20} MiB"
    else if (bytes >= (1 << 10)) s"${bytes >> 10} KiB"
    else s"$bytes B"

  test("sizes and probabilities are those that Python's tests expect as well") {
    val source = Source.fromResource("io/sbbf/core/bloom/filter-sizes.tsv")
    val rows =
      try source.getLines().filterNot(_.startsWith("#")).map(_.split('\t')).toList
      finally source.close()
    assert(rows.size == 72)
    for (Array(ndv, fpp, bytes, effective, closedForm) <- rows) {
      val (n, p) = (ndv.toLong, fpp.toDouble)
      assert(bytesFor(n, p) == bytes.toInt && closedFormBytes(n, p) == closedForm.toInt, s"$n $p")
      val found = falsePositiveProbability(n, bytes.toInt)
      assert(math.abs(found - effective.toDouble) <= 1e-9 * found, s"$n at $p")
    }
  }

  test("arguments out of range are rejected by name") {
    val sizes = Seq[(Long, Double) => Int](bytesFor, closedFormBytes)
    for (size <- sizes; fpp <- Seq(0.0, 1.0, -0.1, 1.5, Double.NaN, Double.PositiveInfinity)) {
      val error = intercept[IllegalArgumentException](size(1, fpp))
      assert(error.getMessage == s"fpp must be between 0 and 1, both excluded, not $fpp")
    }
    val calls = Seq[() => Any](
      () => bytesFor(-1, 0.1),
      () => closedFormBytes(-1, 0.1),
      () => falsePositiveProbability(-1, 32))
    for (call <- calls) {
      assert(
        intercept[IllegalArgumentException](call()).getMessage ==
          "ndv must be at least 0, not -1")
    }
    for (numBytes <- Seq(0, -32, 33)) {
      intercept[IllegalArgumentException](falsePositiveProbability(1, numBytes))
    }
  }
}
