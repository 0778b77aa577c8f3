package io.sbbf.parquet.sample

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class KmvSketchSuite extends AnyFunSuite {
  private val seed = sys.env.get("SBBF_SEED").fold(new Random().nextLong())(_.toLong)
  info(s"SBBF_SEED=$seed")

  private val counts =
    Seq(0, 1, 2, KmvSketch.K - 1, KmvSketch.K, KmvSketch.K + 1, 2 * KmvSketch.K, 50000)

  private def hashes(count: Int, random: Random): Seq[Long] =
    Iterator.continually(random.nextLong()).take(count).toVector

  /** Returns the sketch of the values, some added twice, in batches of different lengths. */
  private def sketch(values: Seq[Long], random: Random): KmvSketch = {
    val sketch = new KmvSketch.Builder
    var left = random.shuffle(values ++ values.take(3000))
    while (left.nonEmpty) {
      val (batch, rest) = left.splitAt(1 + random.nextInt(4000))
      sketch.add((batch :+ 0L).toArray, batch.size)
      left = rest
    }
    sketch.result()
  }

  /** Returns the expected ranks, computed without a sketch. */
  private def plain(values: Seq[Long]): Seq[Long] =
    values.map(_ ^ Long.MinValue).distinct.sorted.take(KmvSketch.K)

  test("a sketch holds the smallest distinct hashes, in any order and batches") {
    val random = new Random(seed)
    for (count <- counts) {
      val values = hashes(count, random)
      assert(sketch(values, random).ranks.toSeq == plain(values), count)
    }
    val extremes = Seq(0L, -1L, 1L, Long.MinValue, Long.MaxValue)
    assert(sketch(extremes, random).ranks.toSeq == plain(extremes))
  }

  test("few distinct values are counted, and more are estimated within five standard errors") {
    val random = new Random(seed)
    for (count <- counts) {
      val found = sketch(hashes(count, random), random).distinct
      if (count < KmvSketch.K) assert(found == count)
      else assert(math.abs(found / count - 1) < 5 / math.sqrt(KmvSketch.K - 2.0), count)
    }
  }

  test("the union of sketches is the sketch of all values") {
    val random = new Random(seed)
    for (sizes <- Seq(Seq(10, 20), Seq(500, 900), Seq(5000, 7), Seq(3000, 4000, 50000))) {
      val sets = sizes.map(hashes(_, random))
      val shared = hashes(400, random)
      val union = KmvSketch.union(sets.map(set => sketch(set ++ shared, random)))
      assert(union.ranks.toSeq == plain(sets.flatten ++ shared), sizes)
    }
  }

  /** The share of a set's values that another set holds, on average. */
  private def overlap(sketches: Seq[KmvSketch]): Double = {
    val counts = KmvSketch.multiplicities(sketches)
    if (counts.isEmpty) 0
    else counts.map(c => c.toDouble * (c - 1)).sum / counts.sum / (sketches.size - 1)
  }

  test("multiplicities estimate the share of a set's values that other sets hold") {
    val random = new Random(seed)
    for (size <- Seq(100, 20000); of <- Seq(0.0, 0.1, 0.5, 1.0); sets <- Seq(2, 5)) {
      val shared = hashes((size * of).toInt, random)
      val sketches =
        Seq.fill(sets)(sketch(shared ++ hashes(size - shared.size, random), random))
      val found = overlap(sketches)
      val within = if (size < KmvSketch.K) 1e-9 else 0.08
      assert(math.abs(found - of) < within, (size, of, sets))
    }
    assert(KmvSketch.multiplicities(Seq.fill(3)(sketch(Nil, random))).isEmpty)
  }

  test("multiplicities weigh sets of different sizes by their values") {
    val random = new Random(seed)
    val large = hashes(50000, random)
    val found = overlap(Seq(sketch(large, random), sketch(large.take(25000), random)))
    assert(math.abs(found - 50000.0 / 75000) < 0.08)
  }
}
