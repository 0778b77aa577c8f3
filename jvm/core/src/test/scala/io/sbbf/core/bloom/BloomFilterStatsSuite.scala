package io.sbbf.core.bloom

import scala.util.Random

class BloomFilterStatsSuite extends RandomSuite {
  import BloomFilterStats._

  private def hashes(random: Random, n: Int): Array[Long] = Array.fill(n)(random.nextLong())

  randomTest("a folded filter equals a filter that was built small, bit for bit") { random =>
    val sizes = Seq.iterate(32, 11)(_ * 2)
    for (ndv <- Seq(0, 1, 50, 1000, 20000)) {
      val inserted = hashes(random, ndv)
      val large = filterOf(sizes.last, inserted)
      for (size <- sizes) {
        val folded = fold(large, size)
        assert(folded.sameElements(filterOf(size, inserted)), s"$ndv values at $size bytes")
        assert(folded ne large)
      }
    }
  }

  randomTest("a widened filter reports the same values, and folds to the smaller one") { random =>
    for (size <- Seq(32, 64, 1024); wide <- Seq(1, 2, 16).map(_ * size)) {
      val small = filterOf(size, hashes(random, size / 4))
      val widened = widen(small, wide)
      assert(widened.length == wide && fold(widened, size).sameElements(small))
      for (_ <- 0 until 2000) {
        val hash = random.nextLong()
        assert(
          SplitBlockBloomFilter.mightContain(widened, hash) ==
            SplitBlockBloomFilter.mightContain(small, hash))
      }
    }
    assert(
      intercept[IllegalArgumentException](widen(new Array[Byte](64), 32)).getMessage ==
        "a bitset of 64 bytes cannot be widened to 32 bytes")
  }

  randomTest("the effective FPP is the share of absent values that are reported") { random =>
    val probes = 400000
    for ((numBytes, ndv) <- Seq((32, 30), (1024, 800), (96, 100), (32768, 40000))) {
      val bitset = filterOf(numBytes, hashes(random, ndv))
      val found =
        Iterator
          .fill(probes)(random.nextLong())
          .count(SplitBlockBloomFilter.mightContain(bitset, _))
      val fpp = effectiveFpp(bitset)
      assert(
        math.abs(found - probes * fpp) < 6 * math.sqrt(probes * fpp * (1 - fpp)),
        s"$ndv values in $numBytes bytes: $fpp")
    }
  }

  test("the effective FPP is the mean over blocks of the product over words") {
    val half = Array.fill[Byte](32)(0x0f)
    val full = Array.fill[Byte](32)(-1)
    val oneWordEmpty = full
      .updated(4, 0.toByte)
      .updated(5, 0.toByte)
      .updated(6, 0.toByte)
      .updated(7, 0.toByte)
    assert(effectiveFpp(half) == math.pow(0.5, 8))
    assert(effectiveFpp(full) == 1)
    assert(effectiveFpp(oneWordEmpty) == 0)
    assert(effectiveFpp(full ++ half ++ oneWordEmpty) == (1 + math.pow(0.5, 8)) / 3)
    assert(effectiveFpp(new Array[Byte](64)) == 0)
  }

  randomTest("the fill ratio is the share of set bits") { random =>
    for (numBlocks <- Seq(1, 2, 3, 100)) {
      val bitset = randomBytes(random, numBlocks * 32)
      val bits = bitset.map(b => Integer.bitCount(b & 0xff)).sum
      assert(fillRatio(bitset) == bits.toDouble / (bitset.length * 8))
    }
  }

  randomTest("the set bits yield the number of distinct values") { random =>
    for (numBlocks <- Seq(1024, 1500); load <- Seq(0.1, 1, 10, 40, 100)) {
      val ndv = (numBlocks * load).toInt
      val estimate = distinctEstimate(filterOf(numBlocks * 32, hashes(random, ndv)))
      assert(
        math.abs(estimate - ndv) <= 0.1 * ndv,
        s"$ndv values in $numBlocks blocks: $estimate")
    }
    assert(distinctEstimate(new Array[Byte](320)) == 0)
    assert(distinctEstimate(Array.fill[Byte](320)(-1)) == Long.MaxValue)
  }

  test("a filter with one set bit anywhere is not all zero") {
    assert(isAllZero(new Array[Byte](96)))
    for (bit <- 0 until 96 * 8) {
      val bitset = new Array[Byte](96)
      bitset(bit / 8) = (1 << bit % 8).toByte
      assert(!isAllZero(bitset), bit)
    }
  }

  test("sizes that cannot be folded are rejected with their numbers") {
    def message(call: => Any): String = intercept[IllegalArgumentException](call).getMessage
    val bytes = new Array[Byte](96)
    assert(message(fold(bytes, 32)) == "only powers of two of bytes can be folded, not 96")
    assert(message(fold(new Array[Byte](256), 96)).contains("not 96"))
    assert(
      message(fold(new Array[Byte](64), 128)) ==
        "a bitset of 64 bytes cannot be folded to 128 bytes")
    assert(message(fold(new Array[Byte](64), 16)).contains("not 16"))
  }

  test("every method rejects an invalid length") {
    for (length <- Seq(0, 31, 40)) {
      val bytes = new Array[Byte](length)
      val methods =
        Seq[Array[Byte] => Any](fillRatio, effectiveFpp, distinctEstimate, isAllZero, fold(_, 32))
      for (method <- methods) {
        assert(
          intercept[IllegalArgumentException](method(bytes)).getMessage.endsWith(s"not $length"))
      }
    }
  }
}
