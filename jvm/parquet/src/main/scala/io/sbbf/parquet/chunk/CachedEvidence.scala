package io.sbbf.parquet.chunk

/**
 * What is known about one version of a file, of any format. A cache can forget a part of it, which
 * the next request reads again. Thread-safe.
 */
private[sbbf] trait CachedEvidence {

  /** Returns the heap that is held as long as the file is cached, in bytes. */
  private[sbbf] def footerBytes: Long

  /** Returns the heap of all that can be forgotten, in bytes. */
  private[sbbf] def contentBytes: Long

  /** Forgets what no pass from `usedBefore` on has used, and returns the bytes that are left of it. */
  private[sbbf] def forgetContents(usedBefore: Long): Long
}
