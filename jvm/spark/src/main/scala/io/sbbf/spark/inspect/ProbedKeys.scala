package io.sbbf.spark.inspect

import scala.collection.mutable

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.Value
import io.sbbf.spark.column.CatalystValue

/**
 * The keys of a DataFrame of one column, in the type of the column that is probed.
 *
 * @throws IllegalArgumentException if there are more columns, or if their type might not hold what
 *   the keys are
 */
private[inspect] final class ProbedKeys(keys: DataFrame, column: ProbedColumn) {
  import ProbedKeys._

  private val (name, from) = keys.schema.fields match {
    case Array(one) => (quoteIfNeeded(one.name), one.dataType)
    case others =>
      refuse(s"have the columns ${others.map(_.name).mkString(", ")}, expected one column")
  }

  private val to = column.dataType

  if (!isSafe(from, to))
    refuse(
      s"are ${from.sql}, and the column '${column.name}' is ${to.sql}: cast them to this type")

  /**
   * Returns the distinct keys as values of Catalyst.
   *
   * @throws IllegalArgumentException if there are too many, if one is NULL, or if the column's type
   *   cannot hold one
   */
  def collect(): Array[Any] = {
    val cast = if (from == to || isText) col(name) else expr(s"try_cast($name AS ${to.sql})")
    val rows = collected(keys.distinct().select(col(name).isNull, cast).limit(Most + 1))
    if (rows.length > Most) refuse(s"are more than $Most: probe them in parts")
    if (rows.exists(_.getBoolean(0)))
      refuse("include NULL, and filters hold no nulls: query IS NULL instead")
    val found = rows.map(read)
    val values = found.toSeq.map(key => Option(key).flatMap(CatalystValue.convert(_, to)))
    val misfits = values.count(_.isEmpty)
    if (misfits > 0)
      refuse(
        s"hold $misfits of ${values.length} that cannot be read as ${to.sql}, the type of column " +
          s"'${column.name}'")
    val seen = mutable.HashSet.empty[Value]
    found.zip(values).collect { case (key, Some(value)) if seen.add(value) => key }
  }

  /** Whether keys are read from texts, by the rules of a single value. */
  private def isText: Boolean = from == StringType && to != StringType

  private lazy val texts =
    new TextReader(to, keys.sparkSession.sessionState.conf.sessionLocalTimeZone)

  private def read(row: InternalRow): Any =
    if (isText) texts.read(row.getUTF8String(1)).orNull
    else InternalRow.copyValue(row.get(1, to))

  /** Returns rows of Catalyst: others lose days of 1582, and bytes of texts that are not UTF-8. */
  private def collected(rows: DataFrame): Array[InternalRow] = {
    val query = rows.queryExecution
    SQLExecution.withNewExecutionId(query, Some("collect"))(query.executedPlan.executeCollect())
  }

  private def refuse(why: String): Nothing = throw new IllegalArgumentException(s"the keys $why")
}

private object ProbedKeys {

  /** The most keys, which the driver collects and each task holds. */
  private final val Most = 1000000

  /** Whether no cast changes a key: it has the same value in the column's type, or none. */
  private def isSafe(from: DataType, to: DataType): Boolean = (from, to) match {
    case _ if from == to => true
    case (StringType, _) => Cast.canCast(from, to)
    case _ if Integers(from) && Integers(to) => true // the cast of one out of range is NULL
    case (_: DecimalType, _: DecimalType) => Cast.canUpCast(from, to)
    case (_, _: DecimalType) => Integers(from) && Cast.canUpCast(from, to)
    case (ByteType | ShortType, FloatType) => true
    case (ByteType | ShortType | IntegerType | FloatType, DoubleType) => true
    case (DateType, TimestampType | TimestampNTZType) => true
    case (BinaryType, StringType) => true
    case _ => false
  }

  private val Integers = Set[DataType](ByteType, ShortType, IntegerType, LongType)
}
