package io.sbbf.core.bloom

class BitSlicesSuite extends RandomSuite {
  import BitSlices._

  private val numbersOfFilters = Seq(1, 2, 63, 64, 65, 127, 128, 200, 1000)

  randomTest("bit f of slice p is bit p of filter f's block, and 0 beyond the last filter") {
    random =>
      for (numFilters <- numbersOfFilters) {
        val bytes = randomBytes(random, numFilters * 32)
        val slices = slice(bytes)
        val width = wordsPerSlice(numFilters)
        assert(slices.length == 256 * width)
        for (position <- 0 until 256; f <- 0 until width * 64) {
          val sliced = slices(position * width + f / 64) >>> (f % 64) & 1
          val stored =
            if (f < numFilters) bytes(f * 32 + position / 8) >>> (position % 8) & 1 else 0
          assert(sliced == stored, s"position $position of filter $f of $numFilters")
        }
      }
  }

  randomTest("the slices of a hash return the result of each filter") { random =>
    for (numFilters <- numbersOfFilters; numBlocks <- Seq(1, 3, 64)) {
      val held = Array.fill(numFilters, numBlocks * 8)(random.nextLong())
      val filters = held.map(filterOf(numBlocks * 32, _))
      val sliced =
        (0 until numBlocks).map(b => slice(filters.flatMap(f => f.slice(b * 32, b * 32 + 32))))
      val absent = Seq.fill(20)(random.nextLong()) ++ Seq(0L, -1L, 0xffffffff00000000L)
      for (hash <- absent ++ held.map(_.head).take(50)) {
        val slices = sliced(blockOf(hash, numBlocks)).grouped(wordsPerSlice(numFilters)).toArray
        val matches =
          positions(hash).map(slices).reduce((a, b) => a.zip(b).map { case (x, y) => x & y })
        for (f <- 0 until matches.length * 64) {
          val expected =
            f < numFilters && SplitBlockBloomFilter.mightContain(filters(f), hash)
          assert((matches(f / 64) >>> (f % 64) & 1) == (if (expected) 1 else 0), s"$hash, $f")
        }
      }
    }
  }

  randomTest("a filter of one value has the bits of its block at the positions of its hash") {
    random =>
      for (_ <- 0 until 1000) {
        val hash = random.nextLong()
        val block = filterOf(32, Array(hash))
        val set = (0 until Slices).filter(p => (block(p / 8) >>> (p % 8) & 1) == 1)
        assert(positions(hash).toSeq == set)
      }
  }

  test("an array that is no whole number of blocks is rejected") {
    intercept[IllegalArgumentException](slice(new Array[Byte](33)))
  }
}
