package io.sbbf.parquet.hashes

/** What the rows that match a leaf hold in the column of a file. */
private[sbbf] sealed abstract class HashBinding

private[sbbf] object HashBinding {

  /** Hashes do not decide the leaf. */
  case object Unknown extends HashBinding

  /** No row of the file matches, because the file lacks the column. */
  case object NoRow extends HashBinding

  /**
   * Each of these rows holds NULL.
   *
   * @param column the number of the column among the leaves of the file's schema
   */
  final case class Null(column: Int) extends HashBinding

  /**
   * Each of these rows holds a value, or a key of the leaf's function, with one of these hashes.
   *
   * @param column the number of the column among the leaves of the file's schema
   * @param hashes XXH64 of the values in the PLAIN encoding of the file, which files with another
   *   type of the column do not share
   */
  final case class OneOf(column: Int, hashes: Array[Long]) extends HashBinding
}
