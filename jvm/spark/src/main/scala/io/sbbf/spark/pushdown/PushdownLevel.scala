package io.sbbf.spark.pushdown

/** States which predicates parquet-mr may evaluate while a task reads a file. */
private[spark] sealed abstract class PushdownLevel extends Product with Serializable

private[spark] object PushdownLevel {

  /** Allows none: planning could not read the file. */
  case object Nothing extends PushdownLevel

  /** Allows those of [[AnyFile]] on columns that parquet-mr reads right in all files of the scan. */
  case object SafeColumns extends PushdownLevel

  /** Allows predicates that lose no row of any file. */
  case object AnyFile extends PushdownLevel

  /**
   * Also allows predicates that lose no row because the file stores the columns as the table
   * declares them.
   */
  case object AsDeclared extends PushdownLevel
}
