package io.sbbf.parquet
package write

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.{FilterShape, FilterSizing, SplitBlockBloomFilter}

class DistinctHashesSuite extends AnyFunSuite {
  private val seed = sys.env.get("SBBF_SEED").fold(new Random().nextLong())(_.toLong)
  info(s"SBBF_SEED=$seed")

  private val MaxBytes = 4 * 1024 * 1024

  /** One by one, into a filter of a size that is given. */
  private def plain(hashes: Seq[Long], numBytes: Int): Array[Byte] = {
    val bitset = new Array[Byte](numBytes)
    hashes.foreach(SplitBlockBloomFilter.insert(bitset, _))
    bitset
  }

  /** Each several times, in batches of different lengths. */
  private def add(to: DistinctHashes, hashes: Seq[Long], random: Random): Unit = {
    val all = random.shuffle(hashes ++ hashes.take(1000)).toArray
    var at = 0
    while (at < all.length) {
      val batch = all.slice(at, at + 1 + random.nextInt(3000))
      to.add(batch, batch.length)
      at += batch.length
    }
  }

  private val counts = Seq(1, 2, 31, 32, 33, 1000, 5000, 65535, 65536, 65537, 131072, 400000)

  test("the filter is that of the distinct hashes at the exact size, however many there are") {
    val random = new Random(seed)
    for {
      mostListed <- Seq(1 << 22, 100000)
      distinct = new DistinctHashes(0.01, MaxBytes, mostListed)
      count <- random.shuffle(counts) // one after the other, as row groups come
    } {
      val hashes = Seq.fill(count)(random.nextLong())
      add(distinct, hashes, random)
      val filter = distinct.result(1).get
      assert(filter.length == FilterSizing.bytesFor(count, 0.01), s"$count values")
      assert(java.util.Arrays.equals(filter, plain(hashes, filter.length)), s"$count values")
    }
  }

  test("the largest size is kept to, whatever it costs in false positives") {
    val random = new Random(seed)
    for (maxBytes <- Seq(32, 1024, 1024 * 1024); count <- Seq(10, 1000, 300000)) {
      val distinct = new DistinctHashes(0.0001, maxBytes)
      val hashes = Seq.fill(count)(random.nextLong())
      add(distinct, hashes, random)
      val filter = distinct.result(1).get
      assert(filter.length <= maxBytes)
      assert(java.util.Arrays.equals(filter, plain(hashes, filter.length)))
      assert(filter.length == maxBytes || FilterShape.effectiveFpp(filter) <= 0.0002)
    }
  }

  test("nothing, and less than is wanted, has no filter") {
    val distinct = new DistinctHashes(0.01, MaxBytes)
    assert(distinct.result(1).isEmpty)
    for (hashes <- Seq(Array(7L, 7L, 8L), Array(0L, 0L, 8L))) {
      distinct.add(hashes, 3)
      assert(distinct.result(3).isEmpty)
      distinct.add(hashes, 3)
      assert(distinct.result(2).exists(_ sameElements plain(hashes.toSeq, 32)))
      assert(distinct.result(1).isEmpty, "each row group begins anew")
    }
  }
}
