package io.sbbf.parquet.write

/** What becomes of the bloom filter that a footer names for a column chunk. */
private[parquet] sealed trait FilterLocation

private[parquet] object FilterLocation {
  case object LookupCost extends FilterLocation
  case object Dropped extends FilterLocation

  /** @param length bytes of header and bitset */
  final case class At(offset: Long, length: Int) extends FilterLocation
}
