package io.sbbf.parquet.pass

import org.apache.hadoop.fs.FileStatus

/** Chooses the files that represent a table. */
private[sbbf] object Sample {

  /**
   * Returns the positions of `size` files, or of all files if there are fewer. The same files
   * give the same sample.
   *
   * One half is spread evenly over the listing, and so over the partitions. The other half is
   * spread over the ages of the remaining files, or of a thousand of them. The first files alone
   * would be a bad sample: they belong to old partitions, which may lack filters.
   */
  def of(files: IndexedSeq[FileStatus], size: Int): IndexedSeq[Int] =
    if (files.size <= size) files.indices
    else {
      val half = spread(files.size, (size + 1) / 2)
      val some = spread(files.size, math.min(files.size, math.max(size, MostSorted)))
      val byAge = some.filterNot(half.toSet).sortBy(files(_).getModificationTime)
      half ++ spread(byAge.size, size / 2).map(byAge)
    }

  /** Sorting 100,000 files by age takes longer than reading a sample. */
  private final val MostSorted = 1024

  /** Returns the middles of `parts` equal parts of 0 until `total`. */
  private def spread(total: Int, parts: Int): IndexedSeq[Int] =
    (0 until parts).map(i => ((2L * i + 1) * total / (2L * parts)).toInt)
}
