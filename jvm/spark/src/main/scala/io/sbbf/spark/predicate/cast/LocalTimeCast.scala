package io.sbbf.spark.predicate.cast

import java.time.{LocalDateTime, ZoneId, ZoneOffset}

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate.{And, Or}
import io.sbbf.spark.column.Column
import io.sbbf.spark.predicate.cast.UnwrapCast.Untranslatable

/**
 * Translates comparisons of a timestamp cast to a date or to a local timestamp in the session's
 * time zone.
 *
 * Clocks are put back, so a local time may occur twice. The instants that are certainly on one
 * side of a literal therefore differ from those that may be. Predicates match the latter.
 *
 * @param cast the cast, applied to the first column of a row
 */
private[spark] final class LocalTimeCast private (column: Column, cast: Cast)
    extends InvertibleExpression(column) {
  import LocalTimeCast._

  private val zone: ZoneId = cast.zoneId

  /** The microseconds of local time in one value of the cast's type. */
  private val unit: Long = if (cast.dataType == DateType) MicrosPerDay else 1

  override def less(than: Any, orEqual: Boolean): RowGroupPredicate =
    before(start(than, next = orEqual))

  override def greater(than: Any, orEqual: Boolean): RowGroupPredicate =
    since(start(than, next = !orEqual))

  override def oneOf(values: Seq[Any]): RowGroupPredicate =
    if (unit == 1) sources(values).fold(Untranslatable)(in)
    else
      Or(values.map(v => And(Seq(since(start(v, next = false)), before(start(v, next = true))))))

  override def noneOf(values: Seq[Any]): RowGroupPredicate =
    if (unit == 1) sources(values).fold(Untranslatable)(notIn)
    else
      And(values.map(v => Or(Seq(before(start(v, next = false)), since(start(v, next = true))))))

  private def sources(values: Seq[Any]): Option[Seq[Any]] = {
    val found = values.map(v => instants(cast, zone, start(v, next = false), v))
    if (found.contains(None)) None else Some(found.flatten.flatten)
  }

  /**
   * Returns the local time, in microseconds, at which `value` or with `next` the following value
   * starts. None if a Long cannot hold it.
   */
  private def start(value: Any, next: Boolean): Option[Long] = {
    val number = value match {
      case days: Int => days.toLong
      case micros: Long => micros
    }
    Try(Math.multiplyExact(if (next) Math.addExact(number, 1L) else number, unit)).toOption
  }

  /** Returns a predicate that matches every instant whose local time is before `local`. */
  private def before(local: Option[Long]): RowGroupPredicate =
    local.flatMap(atLocal(zone, _)).fold(Untranslatable) { instants =>
      below(instants.last, orEqual = false)
    }

  private def since(local: Option[Long]): RowGroupPredicate =
    local.flatMap(atLocal(zone, _)).fold(Untranslatable) { instants =>
      above(instants.head, orEqual = true)
    }
}

private[spark] object LocalTimeCast {
  private final val MicrosPerDay = 86400L * 1000 * 1000

  def of(column: Column, cast: Cast): Option[LocalTimeCast] =
    (cast.child.dataType, cast.dataType) match {
      case (TimestampType, DateType | TimestampNTZType)
          if cast.child.isInstanceOf[BoundReference] =>
        Some(new LocalTimeCast(column, cast))
      case _ => None
    }

  /**
   * Returns the instants, in microseconds, that `cast` turns into `value`. None if a Long cannot
   * hold them.
   *
   * @param local the local time of `value`, in microseconds
   */
  def instants(cast: Cast, zone: ZoneId, local: Option[Long], value: Any): Option[Seq[Any]] =
    local.flatMap(atLocal(zone, _)).map { candidates =>
      val row = new GenericInternalRow(1)
      candidates.distinct.filter { micros =>
        row.update(0, micros)
        cast.eval(row) == value
      }
    }

  /**
   * Returns the instants, in ascending order, at which clocks show `local`, or the instant at
   * which they skip it. All are in microseconds. None if a Long cannot hold them.
   */
  private def atLocal(zone: ZoneId, local: Long): Option[Seq[Long]] = Try {
    val second = Math.floorDiv(local, 1000000L)
    val time = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC)
    val offsets = zone.getRules.getValidOffsets(time)
    val seconds =
      if (offsets.isEmpty) Seq(zone.getRules.getTransition(time).toEpochSecond)
      else
        Seq(offsets.get(0), offsets.get(offsets.size - 1)).map(o => second - o.getTotalSeconds)
    val rest = if (offsets.isEmpty) 0 else Math.floorMod(local, 1000000L)
    seconds.map(s => Math.addExact(Math.multiplyExact(s, 1000000L), rest))
  }.toOption
}
