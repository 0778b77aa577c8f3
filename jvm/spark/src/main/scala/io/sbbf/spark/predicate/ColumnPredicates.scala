package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.{expressions => sql}
import org.apache.spark.sql.types.{DecimalType, DoubleType, FloatType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.{BytePrefix, RowGroupPredicate, Value}
import io.sbbf.spark.column.{CatalystValue, Column}

/**
 * Translates tests of one column with constants, for each truth value that may be wanted. Returns
 * None where the column cannot be compared with the constant.
 */
private[spark] object ColumnPredicates {

  /** Returns the predicate of a boolean that is the same for all rows. */
  def constant(value: Any, wanted: RequiredTruth): RowGroupPredicate =
    if (value == null && wanted.orNull || value == wanted.truth) True else False

  /**
   * Returns the predicate of IS NULL or IS NOT NULL. Spark may read a decimal that is too large
   * for its column as NULL, which the file does not count.
   */
  def nullness(column: Column, isNull: Boolean): RowGroupPredicate = column.dataType match {
    case decimal: DecimalType if isNull =>
      column.passes(IsNullDecimal(decimal.precision, decimal.scale))
    case _ => column.passes(if (isNull) IsNull else IsNotNull)
  }

  /**
   * Returns the predicate of a comparison with a constant.
   *
   * @param comparison the comparison, with the column on its left side; only its operator matters
   * @param value the constant, which is not null
   */
  def compare(
      column: Column,
      comparison: Expression,
      value: Any,
      wanted: RequiredTruth): Option[RowGroupPredicate] = comparison match {
    case sql.EqualTo(_, _) => oneOf(column, Seq(value), wanted)
    case sql.LessThan(_, _) => test(column, value, wanted)(Less(_, orEqual = false))
    case sql.LessThanOrEqual(_, _) => test(column, value, wanted)(Less(_, orEqual = true))
    case sql.GreaterThan(_, _) => test(column, value, wanted)(Greater(_, orEqual = false))
    case sql.GreaterThanOrEqual(_, _) => test(column, value, wanted)(Greater(_, orEqual = true))
    case _ => None
  }

  private def test(column: Column, value: Any, wanted: RequiredTruth)(
      of: Value => SimpleTest): Option[RowGroupPredicate] =
    CatalystValue.convert(value, column.dataType).map(v => passes(column, of(v), wanted))

  /** Returns the predicate of a test that is NULL for NULL only. */
  private def passes(column: Column, test: SimpleTest, wanted: RequiredTruth): RowGroupPredicate =
    orNull(column, column.passes(if (wanted.truth) test else test.negated), wanted)

  private def orNull(
      column: Column,
      decided: RowGroupPredicate,
      wanted: RequiredTruth): RowGroupPredicate =
    if (wanted.orNull) or(Seq(decided, nullness(column, isNull = true))) else decided

  /**
   * Returns the predicate of IN. With a NULL in the list, IN is NULL where it would be FALSE,
   * except for NaN. Spark's `InSet`, of more than ten values, is FALSE for NaN. NOT IN of an
   * empty list is TRUE even for NULL, unless `spark.sql.legacy.nullInEmptyListBehavior` changes
   * that.
   */
  def oneOf(
      column: Column,
      values: Seq[Any],
      wanted: RequiredTruth): Option[RowGroupPredicate] = {
    val (nulls, others) = values.partition(_ == null)
    if (values.isEmpty) Some(if (wanted == RequiredTruth.True) False else Unknown("IN ()"))
    else if (others.isEmpty) Some(constant(null, wanted))
    else if (nulls.nonEmpty && wanted.truth == wanted.orNull)
      Some(column.dataType match {
        case FloatType | DoubleType =>
          Unknown(s"a list with a NULL, which Spark does not compare with NaN: ${column.name}")
        case _ => if (wanted.truth) True else False
      })
    else
      CatalystValue
        .convertAll(others, column.dataType)
        .map(literals => passes(column, In(literals.toIndexedSeq), wanted))
  }

  /**
   * Returns the predicate of `column = NaN`.
   *
   * @param wanted the required truth of `column = NaN`
   */
  def isNaN(column: Column, wanted: RequiredTruth): RowGroupPredicate = {
    val nan = column.dataType match {
      case FloatType => Some(Value.FloatLiteral(Float.NaN))
      case DoubleType => Some(Value.DoubleLiteral(Double.NaN))
      case _ => None
    }
    nan.fold[RowGroupPredicate](Unknown(s"isnan of ${column.dataType.simpleString}"))(v =>
      passes(column, In(Seq(v)), wanted))
  }

  def startsWith(column: Column, prefix: Any, wanted: RequiredTruth): Option[RowGroupPredicate] =
    prefix match {
      case null => Some(constant(null, wanted))
      case text: UTF8String => this.prefix(column, text.getBytes, wanted)
      case _ => None
    }

  /**
   * Returns the predicate of LIKE. If a pattern continues after its first wildcard, the predicate
   * tests only the text before it.
   */
  def like(
      column: Column,
      pattern: Any,
      escape: Char,
      wanted: RequiredTruth): Option[RowGroupPredicate] = pattern match {
    case null => Some(constant(null, wanted))
    case text: UTF8String =>
      LikePattern.of(text.toString, escape).flatMap {
        case LikePattern(literal, LikePattern.Nothing) =>
          oneOf(column, Seq(UTF8String.fromString(literal)), wanted)
        case LikePattern(literal, LikePattern.Anything) =>
          prefix(column, literal.getBytes("UTF-8"), wanted)
        case LikePattern(literal, _) if wanted.truth && literal.nonEmpty =>
          val rest = Unknown(s"the pattern after its first wildcard: ${column.name}")
          prefix(column, literal.getBytes("UTF-8"), wanted).map(start => and(Seq(start, rest)))
        case _ => None
      }
    case _ => None
  }

  /**
   * Returns the predicate of a prefix. Texts with the prefix lie between it and the first bytes
   * above all of them. Strings with a collation have another order and other types.
   */
  private def prefix(
      column: Column,
      prefix: Array[Byte],
      wanted: RequiredTruth): Option[RowGroupPredicate] =
    if (column.dataType != StringType) None
    else if (prefix.isEmpty)
      Some(
        if (wanted.truth) orNull(column, column.passes(IsNotNull), wanted)
        else if (wanted.orNull) nullness(column, isNull = true)
        else False)
    else
      BytePrefix.end(prefix).map { end =>
        val from = column.passes(Greater(Value.Bytes(prefix, text = true), orEqual = true))
        val until = column.passes(Less(Value.Bytes(end, text = true), orEqual = false))
        val within = and(Seq(from, until))
        orNull(column, if (wanted.truth) within else within.negated, wanted)
      }
}
