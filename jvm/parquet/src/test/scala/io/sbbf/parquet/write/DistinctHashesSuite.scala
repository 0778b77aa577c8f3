package io.sbbf.parquet.write

import java.lang.management.ManagementFactory

import scala.util.Random

import com.sun.management.ThreadMXBean
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.bloom.{BloomFilterStats, FilterSizing, SplitBlockBloomFilter}
import io.sbbf.core.kernel.Kernels

class DistinctHashesSuite extends AnyFunSuite {
  private val seed = sys.env.get("SBBF_SEED").fold(new Random().nextLong())(_.toLong)
  info(s"SBBF_SEED=$seed")

  private val MaxBytes = 4 * 1024 * 1024

  /** Returns a filter of `numBytes` bytes into which the hashes are inserted one by one. */
  private def plain(hashes: Seq[Long], numBytes: Int): Array[Byte] = {
    val bitset = new Array[Byte](numBytes)
    hashes.foreach(SplitBlockBloomFilter.insert(bitset, _))
    bitset
  }

  /** Adds the hashes, some of them twice, in batches of different lengths. */
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

  test("a filter holds the distinct hashes and has the exact size, however many there are") {
    val random = new Random(seed)
    for {
      mostListed <- Seq(1 << 22, 100000)
      distinct = new DistinctHashes(0.01, MaxBytes, mostListed)
      count <- random.shuffle(counts) // one after the other, like row groups
    } {
      val hashes = Seq.fill(count)(random.nextLong())
      add(distinct, hashes, random)
      val filter = distinct.result(1).get
      assert(filter.length == FilterSizing.bytesFor(count, 0.01), s"$count values")
      assert(java.util.Arrays.equals(filter, plain(hashes, filter.length)), s"$count values")
    }
  }

  test("a filter never exceeds the largest size, whatever its FPP") {
    val random = new Random(seed)
    for (maxBytes <- Seq(32, 1024, 1024 * 1024); count <- Seq(10, 1000, 300000)) {
      val distinct = new DistinctHashes(0.0001, maxBytes)
      val hashes = Seq.fill(count)(random.nextLong())
      add(distinct, hashes, random)
      val filter = distinct.result(1).get
      assert(filter.length <= maxBytes)
      assert(java.util.Arrays.equals(filter, plain(hashes, filter.length)))
      assert(filter.length == maxBytes || BloomFilterStats.effectiveFpp(filter) <= 0.0002)
    }
  }

  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]

  /**
   * Returns all bytes allocated for one row group, an upper bound of those in use at any time.
   */
  private def allocated(count: Int): Long = {
    val (random, batch) = (new Random(seed), new Array[Long](1024))
    val before = threads.getCurrentThreadAllocatedBytes
    val distinct = new DistinctHashes(0.01, 32 << 20)
    for (_ <- 0 until count / batch.length) {
      for (n <- batch.indices) batch(n) = random.nextLong()
      distinct.add(batch, batch.length)
    }
    distinct.result(1)
    threads.getCurrentThreadAllocatedBytes - before
  }

  test("the heap for one column is bounded, however many values it has") {
    Kernels.use(Kernels.Mode.Scalar) // vector code allocates objects until it is compiled
    try {
      val mib = 1L << 20
      assert(allocated(60000) < 4 * mib) // tables of up to 1 MiB, their hashes and the filter
      val most = Seq(5000000, 20000000).map(allocated)
      // additionally a list of 32 MiB, a filter of 32 MiB, and its folds
      assert(most.forall(_ < (4 + 33 + 32 + 32) * mib), most.map(_ / mib))
    } finally Kernels.use(Kernels.Mode.default)
  }

  test("fewer distinct hashes than minNdv have no filter") {
    val distinct = new DistinctHashes(0.01, MaxBytes)
    assert(distinct.result(1).isEmpty)
    for (hashes <- Seq(Array(7L, 7L, 8L), Array(0L, 0L, 8L))) {
      distinct.add(hashes, 3)
      assert(distinct.result(3).isEmpty)
      distinct.add(hashes, 3)
      assert(distinct.result(2).exists(_ sameElements plain(hashes.toSeq, 32)))
      assert(distinct.result(1).isEmpty, "each row group starts empty")
    }
  }
}
