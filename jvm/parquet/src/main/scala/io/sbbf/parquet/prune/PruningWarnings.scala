package io.sbbf.parquet.prune

/** Receives warnings about files that pruning could not use; the caller decides where they go. */
private[sbbf] trait PruningWarnings {

  /**
   * Reports a warning, at most once for each `topic`.
   *
   * @param text the message, without values of the file or the query
   */
  def once(topic: String, text: => String): Unit

  /** Reports a warning with the place that it came from. */
  def once(topic: String, text: => String, cause: Throwable): Unit
}

private[sbbf] object PruningWarnings {

  /** Ignores all warnings. */
  object Ignored extends PruningWarnings {
    override def once(topic: String, text: => String): Unit = ()
    override def once(topic: String, text: => String, cause: Throwable): Unit = ()
  }
}
