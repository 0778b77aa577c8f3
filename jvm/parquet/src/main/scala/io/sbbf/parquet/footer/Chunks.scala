package io.sbbf.parquet.footer

/**
 * Holds the facts about a file's column chunks in arrays, ordered by row group, then column. An
 * array is empty if all of its entries would be zero.
 *
 * @param numValues the numbers of values; 0 where a chunk has as many values as rows
 * @param nullCounts the null counts plus one; 0 where the count is unknown
 * @param filterOffsets the offsets of the bloom filters; 0 where there is none
 * @param filterLengths the bytes of filter header and bitset, a limit of them if the chunk is marked as
 *   [[Chunks.Bounded]]; 0 if unknown, -1 if invalid
 * @param dictionaryOffsets the offsets of the dictionary pages; 0 where no dictionary is usable
 * @param maxDictionaryBytes the upper limits of the dictionary pages' sizes, in bytes
 */
private[parquet] final class Chunks(
    val flags: Array[Byte],
    val codecs: Array[Byte],
    val numValues: Array[Long],
    val nullCounts: Array[Long],
    val filterOffsets: Array[Long],
    val filterLengths: Array[Int],
    val dictionaryOffsets: Array[Long],
    val maxDictionaryBytes: Array[Int]) {
  private def longs = Seq(numValues, nullCounts, filterOffsets, dictionaryOffsets)
  private def ints = Seq(filterLengths, maxDictionaryBytes)
  def retainedBytes: Long = 48 + 8 * 16 + flags.length + codecs.length +
    longs.map(8L * _.length).sum + ints.map(4L * _.length).sum
}

private[parquet] object Chunks {

  /** Marks a chunk whose metadata is encrypted with a key that the reader does not have. */
  final val Encrypted = 1

  /** Marks a chunk whose bounds are exact and equal. */
  final val Constant = 2

  /** Marks a chunk whose metadata is missing, or names another column or another file. */
  final val Damaged = 4

  /** Marks a chunk of whose filter only a limit of the length is known. */
  final val Bounded = 8

  /** Marks a chunk whose bounds are not used, because the footer does not state their order. */
  final val Unordered = 16

  /** Marks a chunk whose writer is known to leave values out of such filters. */
  final val FaultyFilter = 32

  def at(numbers: Array[Long], chunk: Int): Long = if (numbers.length == 0) 0 else numbers(chunk)
  def at(numbers: Array[Int], chunk: Int): Int = if (numbers.length == 0) 0 else numbers(chunk)
}
