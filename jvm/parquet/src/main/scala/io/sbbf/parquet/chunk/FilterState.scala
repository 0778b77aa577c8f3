package io.sbbf.parquet.chunk

import io.sbbf.parquet.model.LeafResult

/** Represents the bloom filter of a column chunk: absent, rejected or present. */
sealed abstract class FilterState extends Product with Serializable {

  /** Returns the approximate heap that it holds, in bytes. */
  private[parquet] def retainedBytes: Long
}

object FilterState {
  case object Absent extends FilterState {
    override private[parquet] def retainedBytes: Long = 0
  }

  /**
   * The chunk has a filter that is invalid or cannot be read.
   *
   * @param reason the reason why the filter was rejected
   */
  final case class Rejected(reason: String) extends FilterState {
    private[parquet] val result: LeafResult = LeafResult.filterRejected(reason)
    override private[parquet] def retainedBytes: Long = 128
  }

  /**
   * The chunk has a valid filter.
   *
   * @param offset the offset of the filter's header in the file
   * @param headerBytes the length of the header in the file, in bytes
   * @param bitset a whole number of 32-byte blocks; do not modify
   */
  final case class Present(offset: Long, headerBytes: Int, bitset: Array[Byte])
      extends FilterState {
    override private[parquet] def retainedBytes: Long = 48L + bitset.length
  }
}
