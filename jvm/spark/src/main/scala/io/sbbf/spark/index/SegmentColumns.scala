package io.sbbf.spark.index

import io.sbbf.index.format.IndexedColumn
import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.index.maintain.IndexContents

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
