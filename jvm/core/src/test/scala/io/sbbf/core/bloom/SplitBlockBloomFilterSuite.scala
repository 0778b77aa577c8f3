package io.sbbf.core.bloom

import java.io.ByteArrayOutputStream

import scala.util.Random

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter

class SplitBlockBloomFilterSuite extends RandomSuite {
  import SplitBlockBloomFilter.{insert, mightContain}

  private val edgeHashes =
    Array(0L, -1L, 1L, 0xffffffffL, 0xffffffff00000000L, Long.MinValue, Long.MaxValue)

  private def hashes(random: Random, n: Int): Array[Long] = Array.fill(n)(random.nextLong())

  private def parquetBytes(filter: BlockSplitBloomFilter): Array[Byte] = {
    val out = new ByteArrayOutputStream()
    filter.writeTo(out)
    out.toByteArray
  }

  randomTest("bits and results equal those of parquet-mr at every power of two") { random =>
    for (numBytes <- Iterator.iterate(32)(_ * 2).takeWhile(_ <= (1 << 20))) {
      val theirs = new BlockSplitBloomFilter(numBytes)
      val inserted = edgeHashes ++ hashes(random, numBytes / 2)
      inserted.foreach(theirs.insertHash)
      val ours = filterOf(numBytes, inserted)
      assert(ours.sameElements(parquetBytes(theirs)), s"at $numBytes bytes")
      for (h <- inserted ++ hashes(random, 1000)) {
        assert(mightContain(ours, h) == theirs.findHash(h), s"$h at $numBytes bytes")
      }
    }
  }

  randomTest("any whole number of blocks behaves as the specification's pseudocode") { random =>
    for (numBlocks <- (1 to 40) ++ Seq(63, 65, 100, 1000, 4097)) {
      val spec = new SpecFilter(numBlocks)
      val inserted = edgeHashes ++ hashes(random, numBlocks * 16)
      inserted.foreach(spec.insert)
      val ours = filterOf(numBlocks * 32, inserted)
      assert(ours.sameElements(spec.bytes), s"at $numBlocks blocks")
      for (h <- edgeHashes ++ hashes(random, 1000)) {
        assert(mightContain(ours, h) == spec.check(h), s"$h at $numBlocks blocks")
      }
    }
  }

  randomTest("a filter contains all inserted values, however full it is") { random =>
    for (numBlocks <- Seq(1, 2, 3, 7, 64, 1001); load <- Seq(1, 10, 100)) {
      val inserted = hashes(random, numBlocks * load)
      val bitset = filterOf(numBlocks * 32, inserted)
      assert(inserted.forall(mightContain(bitset, _)), s"at $numBlocks blocks, $load values each")
    }
  }

  randomTest("a filter reports absent values as often as the exact formula says") { random =>
    val probes = 400000
    for ((numBlocks, ndv) <- Seq(
        (1024, 26214),
        (1024, 52428),
        (1024, 13107),
        (64, 1600),
        (1000, 40000),
        (3001, 150000))) {
      val bitset = filterOf(numBlocks * 32, hashes(random, ndv))
      val found = Iterator.fill(probes)(random.nextLong()).count(mightContain(bitset, _))
      val fpp = FilterSizing.falsePositiveProbability(ndv.toLong, numBlocks * 32)
      // Six standard deviations of the probes and of the filter's own luck: one failure in 10^9.
      val ownLuck = math.abs(BloomFilterStats.effectiveFpp(bitset) - fpp)
      assert(ownLuck < 0.25 * fpp, s"$ndv values in $numBlocks blocks")
      val bound = 6 * math.sqrt(probes * fpp * (1 - fpp)) + probes * ownLuck
      assert(math.abs(found - probes * fpp) < bound, s"$ndv values in $numBlocks blocks")
    }
  }

  test("an empty filter contains nothing and a full one everything") {
    val full = Array.fill[Byte](64)(-1)
    assert(edgeHashes.forall(!mightContain(new Array[Byte](64), _)))
    assert(edgeHashes.forall(mightContain(full, _)))
  }

  test("a length that is no positive multiple of 32 bytes is rejected with its number") {
    for (length <- Seq(0, 1, 31, 33, 48)) {
      val bitset = new Array[Byte](length)
      val message = s"a bitset's length must be a positive multiple of 32 bytes, not $length"
      for (call <- Seq[() => Any](() => insert(bitset, 1), () => mightContain(bitset, 1))) {
        assert(intercept[IllegalArgumentException](call()).getMessage == message)
      }
    }
  }
}
