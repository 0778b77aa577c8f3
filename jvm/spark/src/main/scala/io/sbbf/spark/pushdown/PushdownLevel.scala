package io.sbbf.spark.pushdown

/** States which predicates parquet-mr may evaluate while a task reads a file. */
private[spark] sealed abstract class PushdownLevel extends Product with Serializable

private[spark] object PushdownLevel {

  /** Allows none: the file's statistics are wrong, or parquet-mr fails at them. */
  case object Nothing extends PushdownLevel

  /** Allows predicates that lose no row of any file. */
  case object AnyFile extends PushdownLevel

  /**
   * Also allows predicates that lose no row because the file stores the columns as the table
   * declares them.
   */
  case object AsDeclared extends PushdownLevel
}
