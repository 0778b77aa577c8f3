package io.sbbf.parquet.input

import io.sbbf.parquet.model.FileVersion

/** A file in a store, which is not open yet. */
private[sbbf] trait ByteSource {

  /**
   * Opens the file.
   *
   * @throws java.io.IOException if it is missing or cannot be read
   */
  def open(): OpenFile

  /**
   * Returns the version that the store has now.
   *
   * @throws java.io.IOException as [[open]]
   */
  def version(): FileVersion
}
