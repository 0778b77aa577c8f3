package io.sbbf.parquet.input

import java.io.Closeable

/** An open file. */
private[sbbf] trait OpenFile extends Closeable {

  /**
   * Fills `bytes` with those of the file from `offset` on.
   *
   * @throws java.io.EOFException if the file ends before
   * @throws java.io.IOException if the bytes cannot be read
   */
  def readFully(offset: Long, bytes: Array[Byte]): Unit
}
