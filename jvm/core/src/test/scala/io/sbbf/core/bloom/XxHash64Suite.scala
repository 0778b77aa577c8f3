package io.sbbf.core.bloom

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, ByteOrder}

import scala.util.Random

import net.openhft.hashing.LongHashFunction

class XxHash64Suite extends RandomSuite {
  private val reference = LongHashFunction.xx()

  /**
   * Lengths and their hashes at seed 0. They are from the reference program's own check,
   * github.com/Cyan4973/xxHash `cli/xsum_sanity_check.c` (0 to 14, 222) and, in later releases,
   * `tests/sanity_test_vectors.h` (the rest).
   */
  private val publishedVectors = Seq(
    0 -> 0xef46db3751d8e999L,
    1 -> 0xe934a84adb052768L,
    4 -> 0x9136a0dca57457eeL,
    13 -> 0xc2e5013e3c40bcf7L,
    14 -> 0x8282dcc4994e35c8L,
    15 -> 0x180719316d622d84L,
    16 -> 0x98c90b57fdfcb55cL,
    32 -> 0x18b216492bb44b70L,
    95 -> 0xff9f46bdcc644624L,
    222 -> 0xb641ae8cb691c174L,
    4161 -> 0xcd3d6df2db509a75L
  )

  /** The buffer of those programs: the top bytes of 2654435761 multiplied again and again. */
  private val sanityBuffer: Array[Byte] =
    Iterator
      .iterate(2654435761L)(_ * 0x9e3779b185ebca8dL)
      .map(g => (g >>> 56).toByte)
      .take(4161)
      .toArray

  test("the hashes equal the published vectors of the reference program") {
    for ((length, expected) <- publishedVectors) {
      assert(XxHash64.hashBytes(sanityBuffer, 0, length) == expected, s"at length $length")
    }
  }

  test("texts hash as the xxhash packages of other languages print them") {
    // README of github.com/ifduyue/python-xxhash and of github.com/cespare/xxhash.
    assert(
      XxHash64.hashBytes("Nobody inspects the spammish repetition".getBytes(UTF_8)) ==
        0xfbcea83c8a378bf1L)
    assert(XxHash64.hashBytes("a".getBytes(UTF_8)) == 0xd24ec4f1a98c6e5bL)
  }

  randomTest(
    "every length up to 1,024 hashes as zero-allocation-hashing does, also at odd offsets") {
    random =>
      val bytes = randomBytes(random, 1024 + 16)
      for (length <- 0 to 1024; offset <- Seq(0, 1, 3, 7, 13)) {
        assert(
          XxHash64.hashBytes(bytes, offset, length) ==
            reference.hashBytes(bytes, offset, length),
          s"at length $length, offset $offset")
      }
  }

  randomTest("numbers hash as their little-endian bytes") { random =>
    val edges = Seq(
      0L,
      1L,
      -1L,
      0x80L,
      Int.MinValue.toLong,
      Int.MaxValue.toLong,
      Long.MinValue,
      Long.MaxValue)
    for (v <- edges ++ Seq.fill(10000)(random.nextLong())) {
      val bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(v).array
      assert(XxHash64.hashLong(v) == XxHash64.hashBytes(bytes), v)
      assert(XxHash64.hashLong(v) == reference.hashLong(v), v)
      assert(XxHash64.hashInt(v.toInt) == XxHash64.hashBytes(bytes, 0, 4), v)
      assert(XxHash64.hashInt(v.toInt) == reference.hashInt(v.toInt), v)
    }
  }

  test("a range outside of the array is rejected with its numbers, also where sums overflow") {
    val bytes = new Array[Byte](10)
    for ((offset, length) <- Seq(
        (-1, 1),
        (0, -1),
        (0, 11),
        (10, 1),
        (11, 0),
        (5, Int.MaxValue),
        (Int.MaxValue, 1),
        (Int.MinValue, Int.MaxValue))) {
      val error = intercept[IndexOutOfBoundsException](XxHash64.hashBytes(bytes, offset, length))
      assert(
        error.getMessage ==
          s"offset $offset and length $length exceed an array of 10 bytes")
    }
    assert(XxHash64.hashBytes(bytes, 10, 0) == XxHash64.hashBytes(Array.emptyByteArray))
  }

  test("many threads hashing at once agree with one") {
    val inputs = Array.tabulate(2000)(i => randomBytes(new Random(i), i % 100))
    val alone = inputs.map(XxHash64.hashBytes(_)).toSeq
    val together = java.util.stream.IntStream
      .range(0, 2000)
      .parallel()
      .mapToLong((i: Int) => XxHash64.hashBytes(inputs(i)))
      .toArray
      .toSeq
    assert(together == alone)
  }
}
