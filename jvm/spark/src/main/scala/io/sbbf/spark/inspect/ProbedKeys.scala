package io.sbbf.spark.inspect

import scala.collection.mutable

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
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
    val cast = if (from == to) col(name) else expr(s"try_cast($name AS ${to.sql})")
    val rows = keys.select(col(name).isNull, cast).limit(Most + 1).collect()
    if (rows.length > Most) refuse(s"are more than $Most: probe them in parts")
    val nulls = rows.count(_.getBoolean(0))
    if (nulls > 0)
      refuse(s"are NULL $nulls times, and filters hold no nulls: query IS NULL instead")
    val toCatalyst = CatalystTypeConverters.createToCatalystConverter(to)
    val converted = rows.map(row => toCatalyst(row.get(1)))
    val values = converted.toSeq.map(key => Option(key).flatMap(CatalystValue.convert(_, to)))
    val misfits = values.count(_.isEmpty)
    if (misfits > 0)
      refuse(
        s"hold $misfits of ${values.length} that cannot be read as ${to.sql}, the type of column " +
          s"'${column.name}'")
    val seen = mutable.HashSet.empty[Value]
    converted.zip(values).collect { case (key, Some(value)) if seen.add(value) => key }
  }

  private def refuse(why: String): Nothing = throw new IllegalArgumentException(s"the keys $why")
}

private object ProbedKeys {

  /** The most keys, which the driver collects and each task holds. */
  private final val Most = 1000000

  /** Whether no cast changes a key without an error: neither rounds it nor cuts it off. */
  private def isSafe(from: DataType, to: DataType): Boolean = (from, to) match {
    case (StringType, _) => Cast.canCast(from, to)
    case _ if Integers(from) && Integers(to) => true // the cast of one out of range is NULL
    case _ => from == to || Cast.canUpCast(from, to)
  }

  private val Integers = Set[DataType](ByteType, ShortType, IntegerType, LongType)
}
