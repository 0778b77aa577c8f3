package io.sbbf.parquet.pass

/** Receives warnings about files that pruning could not use. The caller decides where they go. */
private[sbbf] trait PruningWarnings {

  /**
   * Reports a warning, at most once for each `topic`.
   *
   * @param text the message, without values of the file or the query
   */
  def once(topic: String, text: => String): Unit

  /** Reports a warning with its cause, at most once for each `topic`. */
  def once(topic: String, text: => String, cause: Throwable): Unit
}
