package io.sbbf.parquet.hashes

/**
 * The row groups of a file that might hold a row that matches a leaf.
 *
 * @param rowGroups their numbers, ascending
 * @param areExact whether almost all of them do hold one, so that other evidence in the file is not
 *   worth a read
 */
private[sbbf] final class LeafHits(val rowGroups: Array[Int], val areExact: Boolean)
