package io.sbbf.index.build

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.testing.TestFiles

/** Compares packed keys with pairs of a key and a row group. */
class KeyPackingSuite extends AnyFunSuite {
  private val random = new Random(TestFiles.seed())

  test("keys and row groups are packed, ordered and split into parts as pairs are") {
    for (_ <- 0 until 300 / TestFiles.stride) {
      val rowGroupBits = 1 + random.nextInt(20)
      val hashBits = 12 + random.nextInt(63 - rowGroupBits - 12 + 1)
      val packing = KeyPacking(hashBits, rowGroupBits, random.nextInt(5))
      val rowGroup = random.nextInt(1 << rowGroupBits)
      // with few bits, different hashes have one key
      val hashes = Array.fill(random.nextInt(200))(random.nextLong() >> random.nextInt(40))
      val packed = packing.pack(hashes, rowGroup)
      val keys = hashes.map(_ >>> (64 - hashBits)).distinct.sorted
      assert(packed.map(packing.keyOf).toSeq == keys.toSeq)
      assert(packed.forall(packing.rowGroupOf(_) == rowGroup))
      val parts = packing.byPart(packed).toSeq
      assert(parts.flatMap(_._2) == packed.toSeq)
      assert(parts.map(_._1) == parts.map(_._1).distinct.sorted && parts.forall(_._2.nonEmpty))
      for ((part, some) <- parts; one <- some)
        assert(packing.keyOf(one) >>> (hashBits - packing.partBits) == part)
    }
  }

  test("a packing has 12 bits more than the entries need, and fits into a Long") {
    // entries, row groups; bits of a key, bits of a row group, parts
    for ((entries, rowGroups, expected) <- Seq(
        (1L, 1, KeyPacking(13, 1, 0)),
        (1000L, 4, KeyPacking(22, 3, 0)),
        (100000000L, 40000, KeyPacking(39, 16, 3)),
        (1L << 40, 1 << 20, KeyPacking(42, 21, 12))))
      assert(KeyPacking.of(entries, rowGroups) == expected, s"$entries in $rowGroups")
  }

  test("keys are as long as those of the whole index, but no longer than known ones") {
    // entries, entries elsewhere, known bits; bits of a key
    for ((entries, elsewhere, known, bits) <- Seq(
        (1000L, 0L, 63, 22),
        (1000L, 1000000L, 63, 32),
        (1000L, 1000000L, 20, 20),
        (1L << 40, 1L << 61, 63, 52)))
      assert(
        KeyPacking.of(entries, 1 << 10, elsewhere, known).hashBits == bits,
        s"$entries, $elsewhere, $known")
  }
}
