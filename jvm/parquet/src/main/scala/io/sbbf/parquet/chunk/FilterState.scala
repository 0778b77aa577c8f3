package io.sbbf.parquet.chunk

import io.sbbf.parquet.model.LeafResult

/** What a column chunk offers as its bloom filter. */
sealed abstract class FilterState extends Product with Serializable {

  /** Heap that it holds, roughly. */
  private[parquet] def retainedBytes: Long
}

object FilterState {
  case object Absent extends FilterState {
    override private[parquet] def retainedBytes: Long = 0
  }

  /** There is one that must not be believed. */
  final case class Rejected(reason: String) extends FilterState {
    private[parquet] val answer: LeafResult = LeafResult.filterRejected(reason)
    override private[parquet] def retainedBytes: Long = 128
  }

  /**
   * @param offset of the header in the file
   * @param bitset a whole number of 32-byte blocks; not to be changed
   */
  final case class Present(offset: Long, headerBytes: Int, bitset: Array[Byte])
      extends FilterState {
    override private[parquet] def retainedBytes: Long = 48L + bitset.length
  }
}
