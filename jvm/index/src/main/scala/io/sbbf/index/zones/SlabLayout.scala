package io.sbbf.index.zones

import io.sbbf.core.bloom.{BitSlices, SplitBlockBloomFilter}
import io.sbbf.index.format.StoredZones.Slab

/**
 * How the filters of a slab are split into files, by runs of their blocks.
 *
 * @param filterBytes the size of a filter, a power of two
 * @param filters the number of filters, at least 1
 */
private[sbbf] final case class SlabLayout(filterBytes: Int, filters: Int) {
  import SlabLayout._

  def numBlocks: Int = filterBytes / SplitBlockBloomFilter.BytesPerBlock

  /** The blocks of a file, a power of two. */
  val blocksOfPart: Int = {
    val fitting = PartBytes / (SplitBlockBloomFilter.BytesPerBlock.toLong * filters)
    math.min(numBlocks.toLong, math.max(1L, java.lang.Long.highestOneBit(fitting))).toInt
  }

  def numParts: Int = numBlocks / blocksOfPart

  /** The bytes of the filters in one file. */
  def bytesOfPiece: Int = blocksOfPart * SplitBlockBloomFilter.BytesPerBlock

  /** The size of its files, about. */
  def bytes: Long = numBlocks.toLong * BitSlices.Slices * Slab.sliceBytes(filters)
}

private[sbbf] object SlabLayout {

  /** What a task holds in memory while it writes a file, if a block of all filters is not larger. */
  private final val PartBytes = 64L << 20

  /** The most filters of a slab: a page holds 256 slices, and has less than 2 GiB. */
  final val MostFilters = 1 << 25
}
