package io.sbbf.index.search

import org.apache.hadoop.fs.FileStatus

/**
 * What a segment knows about the files of a listing.
 *
 * @param numbers the number of each listed file in the segment, -1 if it is unknown
 * @param places the place of each of the segment's files in the listing, -1 if it is not listed
 * @param rowGroups the number of row groups of each listed file, -1 if it is unknown
 */
private[search] final class Listing private (
    val files: IndexedSeq[FileStatus],
    val numbers: Array[Int],
    val places: Array[Int],
    val rowGroups: Array[Int]) {

  /** Whether the segment knows any of the files. */
  val isKnown: Boolean = numbers.exists(_ >= 0)
}

private[search] object Listing {

  /** A file that is listed twice counts once; its second place is unknown. */
  def of(listed: IndexedSeq[FileStatus], segment: SegmentFiles): Listing = {
    val numbers = listed.iterator.map(segment.numberOf).toArray
    val places = Array.fill(segment.size)(-1)
    numbers.indices.foreach { i =>
      if (numbers(i) >= 0 && places(numbers(i)) >= 0) numbers(i) = -1
      else if (numbers(i) >= 0) places(numbers(i)) = i
    }
    val rowGroups = numbers.map(n => if (n < 0) -1 else segment.rowGroupsOf(n))
    new Listing(listed, numbers, places, rowGroups)
  }
}
