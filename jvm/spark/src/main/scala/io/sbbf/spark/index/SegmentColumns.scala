package io.sbbf.spark.index

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.types.StringType

import io.sbbf.core.predicate.KeyedColumn
import io.sbbf.index.format.IndexedColumn
import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.index.maintain.IndexContents
import io.sbbf.spark.table.NamedFiles

/**
 * The columns of a new segment.
 *
 * @param names no lazy list, which would need the table in tasks
 * @param zones how their zones are filtered; None for keys
 */
private[index] final case class SegmentColumns(names: Vector[String], zones: Option[Rule]) {

  /** The kind of their index. */
  def kind: String = if (zones.isDefined) IndexedColumn.Bloom else IndexedColumn.Keys
}

private[index] object SegmentColumns {

  /**
   * Returns the requested columns and functions of columns, each once, by their canonical names.
   *
   * @param zones how their zones are filtered; None for keys
   * @throws IllegalArgumentException if a function is unknown, has invalid arguments or should have
   *   filters of zones, or if the table is known to have no such column, or none of texts with the
   *   binary collation
   */
  def requested(
      target: NamedFiles,
      names: Seq[String],
      zones: Option[Rule],
      resolver: Resolver): SegmentColumns = {
    val found = names.map { text =>
      KeyedColumn.parse(text) match {
        case Right(column) if column.function.isDefined && zones.isDefined =>
          refuse(s"${column.name} can have keys, and no filters of zones: use the kind keys")
        case Right(_) if zones.isDefined && target.readAs.isDefined =>
          refuse(
            s"${target.name} has no Parquet files, so that it has no zones to filter: use the kind keys")
        case Right(column) => resolved(target, column, resolver).name
        case Left(why) => refuse(why)
      }
    }
    SegmentColumns(found.distinct.toVector, zones)
  }

  private def resolved(
      target: NamedFiles,
      requested: KeyedColumn,
      resolver: Resolver): KeyedColumn = {
    val stored = target.column(requested.column, resolver)
    val found = stored.fold(requested)(of => requested.copy(column = of.name))
    for (of <- stored if found.function.isDefined && of.dataType != StringType)
      refuse(
        s"${found.name} needs a STRING column with the binary collation, but " +
          s"'${found.column}' of ${target.name} has the type ${of.dataType.sql}")
    found
  }

  private def refuse(why: String): Nothing = throw new IllegalArgumentException(why)

  /** Returns the columns of each segment that a refresh builds. */
  def ofRefresh(contents: IndexContents): Seq[SegmentColumns] = {
    val rules = contents.zoneColumns.map(_._2).distinct
    val zones = rules.map { rule =>
      SegmentColumns(
        contents.zoneColumns.collect { case (name, `rule`) => name }.toVector,
        Some(rule))
    }
    (SegmentColumns(contents.columns.toVector, None) +: zones).filter(_.names.nonEmpty)
  }
}
