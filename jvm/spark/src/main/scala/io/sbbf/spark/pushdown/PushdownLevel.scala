package io.sbbf.spark.pushdown

/** Which predicates parquet-mr may check while a task reads a file. */
private[spark] sealed abstract class PushdownLevel extends Product with Serializable

private[spark] object PushdownLevel {

  /** None: its statistics are wrong, or parquet-mr fails at them. */
  case object Nothing extends PushdownLevel

  /** Those that lose no row of any file. */
  case object AnyFile extends PushdownLevel

  /** Also those that lose no row because the file stores the columns as the table declares them. */
  case object AsDeclared extends PushdownLevel
}
