package io.sbbf.parquet.prune

import org.apache.hadoop.fs.FileStatus

/** Which files stand for all of a table. */
private[sbbf] object Sample {

  /**
   * Positions of `size` files, or of all if there are no more: one half evenly spread over the listing, thus over
   * the partitions, the other over the ages of the files left. Never the first ones alone: old partitions, which
   * may well lack filters, come first. The same files give the same sample.
   */
  def of(files: IndexedSeq[FileStatus], size: Int): IndexedSeq[Int] =
    if (files.size <= size) files.indices
    else {
      val half = spread(files.size, (size + 1) / 2)
      val byAge =
        files.indices.filterNot(half.toSet).sortBy(files(_).getModificationTime)
      half ++ spread(byAge.size, size / 2).map(byAge)
    }

  /** The middles of `parts` equal parts of 0 until `total`. */
  private def spread(total: Int, parts: Int): IndexedSeq[Int] =
    (0 until parts).map(i => ((2L * i + 1) * total / (2L * parts)).toInt)
}
