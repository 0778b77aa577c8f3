package io.sbbf.spark.index

import java.sql.Timestamp

import scala.util.Try

import org.apache.spark.internal.Logging
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import io.sbbf.core.predicate.KeyedColumn
import io.sbbf.index.maintain.ColumnInfo
import io.sbbf.index.search.IndexCache
import io.sbbf.spark.util.RowFields

/** What SQL and Python can do with the index of a table. */
private[spark] object IndexCommand extends Logging {

  /** The columns of [[info]]. */
  val Info: RowFields[(IndexedTable, ColumnInfo)] = RowFields
    .of[(IndexedTable, ColumnInfo)]
    .add("path_in_schema", StringType)(_._2.column)
    .add("files", IntegerType)(_._1.files.size)
    .add("files_covered", IntegerType)(_._2.files)
    .add("segments", IntegerType)(_._2.segments)
    .add("keys", LongType)(_._2.keys)
    .add("entries", LongType)(_._2.entries)
    .add("bytes", LongType)(_._2.bytes)
    .add("newest", TimestampType)(of => new Timestamp(of._2.newest))
    .add("folder", StringType)(_._1.place.index.toString)
    .add("kind", StringType)(_._2.kind)

  /** The column of [[drop]]. */
  val DropSchema: StructType = new StructType().add("bytes", LongType, nullable = false)

  /**
   * Creates or extends an index; see [[IndexJob.run]]. A refresh builds a segment for the columns
   * with keys, and one for those with filters of zones.
   */
  def run(session: SparkSession, request: IndexRequest): IndexOutcome = {
    val indexed = new IndexedTable(request.table, session)
    val resolver = session.sessionState.conf.resolver
    request.columns
      .fold(refreshed(indexed)) { names =>
        Seq(SegmentColumns.requested(indexed.target, names, request.zones, resolver))
      }
      .map(new IndexJob(session, request, indexed, _).run())
      .reduce(_ and _)
  }

  /** Returns the columns of the index that the table still has. A renamed one is left out. */
  private def refreshed(indexed: IndexedTable): Seq[SegmentColumns] = {
    val found = SegmentColumns
      .ofRefresh(indexed.contents)
      .map { of =>
        val (missing, present) = of.names.partition { name =>
          indexed.target.lacks(KeyedColumn.parse(name).fold(_ => name, _.column))
        }
        for (name <- missing)
          logWarning(
            s"${indexed.name} no longer has the indexed column '$name': the refresh leaves it out. " +
              "If it was renamed, run create_index with its new name")
        of.copy(names = present)
      }
      .filter(_.names.nonEmpty)
    if (found.isEmpty)
      throw new IllegalArgumentException(
        s"${indexed.name} has no index of columns that it still has: run create_index first")
    found
  }

  /**
   * Deletes the index of a table, whether it can be read or not.
   *
   * @return the bytes of its segments, as far as they could be read
   */
  def drop(session: SparkSession, table: String): Long = {
    val indexed = new IndexedTable(table, session)
    val bytes = Try(indexed.contents.bytes).getOrElse(0L)
    indexed.place.folder(indexed.hadoopConf).drop()
    IndexCache.shared.forget(indexed.place.index)
    bytes
  }

  /** Returns a row for each indexed column of a table, none if it has no index. */
  def info(session: SparkSession, table: String): Seq[Row] = {
    val indexed = new IndexedTable(table, session)
    if (indexed.contents.isEmpty) Nil
    else indexed.contents.info(indexed.files).map(of => Info.row((indexed, of)))
  }
}
