package io.sbbf.parquet.input

import java.io.Closeable

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.io.InputFile

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

  /**
   * Returns when the bytes that this source supplies were in the store at the latest, in
   * milliseconds since 1970.
   */
  def readAt: Long = System.currentTimeMillis

  /** Returns how many bytes the first read of the file's tail takes. */
  def tailBytes: Int = FileBytes.TailBytes

  /** Returns the file as parquet-mr reads it. */
  def inputFile(file: FileStatus): InputFile = new SourceInputFile(this, file)
}

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
