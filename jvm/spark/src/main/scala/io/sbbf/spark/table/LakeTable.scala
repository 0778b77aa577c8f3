package io.sbbf.spark.table

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{Resolver, UnresolvedAttribute}
import org.apache.spark.sql.execution.QueryExecution

import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.sample.SampledTable
import io.sbbf.spark.scan.PointLookupStats
import io.sbbf.spark.table.TableColumns.StoredColumn

/**
 * A table of a format that keeps a list of its files, as queries of the session read it.
 *
 * @param name the name by which it was found
 */
private[spark] abstract class LakeTable(val name: String, val format: LakeFormat) {

  /** Returns the files of the snapshot, ordered by path. */
  final def files: IndexedSeq[FileStatus] = snapshotFiles.sortBy(_.getPath.toString)

  protected def snapshotFiles: IndexedSeq[FileStatus]

  def columns: TableColumns

  /** Returns the table's own store, which tasks receive and close; None if Hadoop opens the files. */
  def store: Option[FileStore with Serializable]

  /** Returns how often queries look up values in each column of the files. */
  def lookups(queries: Seq[QueryExecution]): PointLookupStats.Counts

  /** Returns how often the session's queries have looked up values in each column of the files. */
  def history(session: SparkSession): PointLookupStats.Counts

  /**
   * Returns the column with this name in the table.
   *
   * @param dotted its path; a name that contains dots is in backticks
   * @throws IllegalArgumentException if the files store no such column
   */
  final def column(dotted: String, resolver: Resolver): StoredColumn =
    columns
      .find(UnresolvedAttribute.parseAttributeName(dotted), resolver)
      .getOrElse(
        throw new IllegalArgumentException(
          s"the files of the ${format.name} table $name store no column '$dotted'; they store " +
            columns.stored.map(_.name).mkString(", ")))

  /** Returns the table's columns, by which tasks name those of a file. */
  final def sampled(caseSensitive: Boolean): SampledTable =
    SampledTable(columns.stored.map(c => c.name -> c.path), caseSensitive, None)
}
