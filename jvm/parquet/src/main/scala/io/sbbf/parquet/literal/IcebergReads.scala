package io.sbbf.parquet.literal

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.Value
import io.sbbf.parquet.model.{ColumnType, Logical, Physical}

/**
 * Knows the stored types from which Iceberg reads the values that their annotations state: the types
 * that it writes, and its promotions int to long, float to double and to more digits of a decimal
 * (Iceberg Table Spec, "Schema Evolution" and "Parquet"). Imported files may have others.
 */
private[literal] object IcebergReads {

  /** Returns whether the values of a column of type `kind` are those that Iceberg reads. */
  def asTable(test: Test, kind: ColumnType): Boolean = values(test).forall(asTable(_, kind))

  /**
   * Returns the type by which to compare literals with what Iceberg reads. It reads timestamps by the
   * type of the table's column, whether or not the file says that they are adjusted to UTC.
   */
  def typeFor(test: Test, kind: ColumnType): ColumnType = kind.logical match {
    case stored: Logical.Timestamp =>
      val utc = values(test).collectFirst { case Value.Timestamp(_, utc) => utc }
      kind.copy(logical = stored.copy(utc = utc.getOrElse(stored.utc)))
    case _ => kind
  }

  private def values(test: Test): Seq[Value] = test match {
    case In(values) => values
    case NotIn(values) => values
    case Less(value, _) => Seq(value)
    case Greater(value, _) => Seq(value)
    case AllOf(tests) => tests.flatMap(values)
    case IsNull | IsNullDecimal(_, _) | IsNotNull => Nil
  }

  private def asTable(value: Value, kind: ColumnType): Boolean = {
    import Physical._
    (value, kind.physical, kind.logical) match {
      case (_: Value.Bool, Bool, Logical.Plain) => true
      case (Value.IntegerLiteral(_, 32 | 64), Int32, Logical.Plain | Logical.Integer(_, true)) =>
        true
      case (Value.IntegerLiteral(_, 64), Int64, Logical.Plain | Logical.Integer(64, true)) => true
      case (_: Value.FloatLiteral, Float32, Logical.Plain) => true
      case (_: Value.DoubleLiteral, Float32 | Float64, Logical.Plain) => true
      // Iceberg takes the unscaled number, and the scale of the table
      case (decimal: Value.Decimal, _, Logical.Decimal(_, scale)) => decimal.scale == scale
      case (_: Value.Bytes, Bytes, Logical.Plain | Logical.Text) => true
      case (_: Value.Bytes, FixedBytes(_), Logical.Plain) => true
      case (_: Value.Date, Int32, Logical.Date(_)) => true
      case (_: Value.Timestamp, Int64, Logical.Timestamp(_, _, _)) => true
      case (_: Value.Timestamp, Int96, Logical.SparkInt96) => true
      case _ => false
    }
  }
}
