package io.sbbf.parquet.footer

/**
 * `numValues` is 0 where it is the number of rows, `nullCounts` one more than the count or 0 if
 * unknown.
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

  /** Encrypted with a key that is not at hand. */
  final val Encrypted = 1
  final val Constant = 2

  /** Missing, of another column, or about another file. */
  final val Damaged = 4

  def at(numbers: Array[Long], chunk: Int): Long = if (numbers.length == 0) 0 else numbers(chunk)
  def at(numbers: Array[Int], chunk: Int): Int = if (numbers.length == 0) 0 else numbers(chunk)
}
