package io.sbbf.parquet.write

/** The change to the bloom filter that a footer names for a column chunk. */
private[parquet] sealed trait FilterLocation

private[parquet] object FilterLocation {

  /** The footer keeps what it states, even if that is no filter. */
  case object Unchanged extends FilterLocation

  /** The footer no longer names a filter. */
  case object Dropped extends FilterLocation

  /**
   * The footer names the filter at this position.
   *
   * @param offset the start of the filter's header in the file
   * @param length the number of bytes of header and bitset
   */
  final case class At(offset: Long, length: Int) extends FilterLocation
}
