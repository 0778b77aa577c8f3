package io.sbbf.core.bloom

/**
 * Computes sizes and false positive probabilities of split block bloom filters. NDV is the number
 * of distinct values inserted. FPP is the probability that the filter reports a value that was
 * never inserted.
 *
 * [[FilterSizing.bytesFor]] returns these sizes, the smallest powers of two that keep the FPP:
 *
 * {{{
 * NDV      FPP       0.1      0.01     0.001    0.0001
 * 100              128 B     256 B     256 B     512 B
 * 1,000            1 KiB     2 KiB     4 KiB     4 KiB
 * 10,000           8 KiB    16 KiB    32 KiB    64 KiB
 * 100,000        128 KiB   256 KiB   256 KiB   512 KiB
 * 1,000,000        1 MiB     2 MiB     4 MiB     4 MiB
 * 10,000,000       8 MiB    16 MiB    32 MiB    32 MiB
 * }}}
 *
 * All methods are pure. Each throws IllegalArgumentException, with the argument and its range in
 * the message, for an `ndv` below 0, an `fpp` outside of (0, 1) or a `numBytes` that is not a
 * positive multiple of 32.
 */
object FilterSizing {

  /** The size of one block. */
  final val MinBytes = SplitBlockBloomFilter.BytesPerBlock

  /** 128 MiB, the largest bitset that parquet-mr writes or reads (`UPPER_BOUND_BYTES`). */
  final val MaxBytes = 128 * 1024 * 1024

  /**
   * Returns the size by the closed form for a filter of one block,
   * `bits = -8 ndv / ln(1 - fpp^(1/8))`, which parquet-mr and most other writers use. The size is
   * rounded up to a power of two between [[MinBytes]] and [[MaxBytes]].
   *
   * The closed form ignores that blocks fill unevenly: before rounding, the real FPP is 1.46
   * times a requested 1 %. Within 32 bytes of a power of two, parquet-mr's own rounding may
   * return the adjacent power.
   */
  def closedFormBytes(ndv: Long, fpp: Double): Int = {
    checkNdv(ndv)
    checkFpp(fpp)
    val bytes = math.ceil(-ndv / math.log1p(-math.pow(fpp, 1.0 / 8)))
    powerOfTwoFrom(math.max(MinBytes, math.min(MaxBytes, bytes)).toInt)
  }

  /**
   * Returns the smallest power of two of bytes that keeps `fpp`, at least [[MinBytes]]. Returns
   * [[MaxBytes]] if none does.
   */
  def bytesFor(ndv: Long, fpp: Double): Int = {
    checkFpp(fpp)
    var bytes = MinBytes
    while (bytes < MaxBytes && falsePositiveProbability(ndv, bytes) > fpp) bytes *= 2
    bytes
  }

  /**
   * Returns the exact FPP of a filter of `numBytes` bytes after `ndv` inserts: equation 3 of
   * Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", for eight
   * words of 32 bits. The number `i` of values in a block has a Poisson distribution. In such a
   * block, each word has the probed bit set with probability `1 - (31/32)^i`. (The load of a
   * block is really binomial: the FPP of a filter with few blocks is a little lower.)
   */
  def falsePositiveProbability(ndv: Long, numBytes: Int): Double = {
    checkNdv(ndv)
    SplitBlockBloomFilter.checkLength(numBytes)
    val mean = ndv.toDouble / (numBytes / SplitBlockBloomFilter.BytesPerBlock)
    if (mean > CertainLoad) 1.0 else poissonSum(mean)
  }

  /**
   * The mean of values per block above which the FPP is 1 in a double: `8 e^(-load/32) < 2^-54`.
   */
  private final val CertainLoad = 1280

  private val LogUnset = math.log1p(-1.0 / 32)

  /**
   * Sums in log space, because `e^-mean` underflows for full filters. Stops twelve standard
   * deviations above the mean.
   */
  private def poissonSum(mean: Double): Double = {
    val last = (mean + 12 * math.sqrt(mean)).toInt + 64
    val logMean = math.log(mean)
    var logLoad = -mean
    var sum = 0.0
    var load = 1 // an empty block reports nothing
    while (load <= last) {
      logLoad += logMean - math.log(load)
      sum += math.exp(logLoad) * math.pow(-math.expm1(load * LogUnset), 8)
      load += 1
    }
    math.min(sum, 1.0)
  }

  private def powerOfTwoFrom(n: Int): Int = {
    val below = Integer.highestOneBit(n)
    if (below == n) n else below * 2
  }

  private def checkNdv(ndv: Long): Unit =
    if (ndv < 0) throw new IllegalArgumentException(s"ndv must be at least 0, not $ndv")

  /** Whether a number is an FPP: between 0 and 1, both excluded. */
  private[sbbf] def isFpp(fpp: Double): Boolean = fpp > 0 && fpp < 1

  private[core] def checkFpp(fpp: Double): Unit =
    if (!isFpp(fpp))
      throw new IllegalArgumentException(s"fpp must be between 0 and 1, both excluded, not $fpp")
}
