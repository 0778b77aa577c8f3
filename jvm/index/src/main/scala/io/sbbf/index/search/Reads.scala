package io.sbbf.index.search

import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.result.IndexReads

/** Counts what a search reads. Not thread-safe. */
private[search] final class Reads {
  private var pages = 0
  private var bytes = 0L

  def count(readPages: Int, file: FileBytes): Unit = {
    pages += readPages
    bytes += file.bytesRead
  }

  def of(segments: Int): IndexReads = IndexReads(segments, pages, bytes)
}
