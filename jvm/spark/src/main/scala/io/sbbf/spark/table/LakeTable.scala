package io.sbbf.spark.table

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.analysis.{Resolver, UnresolvedAttribute}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.sample.SampledTable
import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.column.TableColumns.StoredColumn

/**
 * A table of a format that keeps a list of its files, as queries of the session read it.
 *
 * @param name the name by which it was found
 */
private[spark] abstract class LakeTable(val name: String, val format: LakeFormat)
    extends NamedFiles {

  final override def files: Seq[FileStatus] = snapshotFiles.sortBy(_.getPath.toString)

  /** Returns the files of the snapshot, in any order. */
  protected def snapshotFiles: IndexedSeq[FileStatus]

  /** Returns the folder of the table. */
  def location: Path

  /** Returns the files of the snapshot that an index can name. */
  def indexable: Seq[FileStatus] = files

  def columns: TableColumns

  /** Returns the rules by which the format finds columns in the files and reads their values. */
  def lookup(conf: SQLConf): ColumnLookup = ColumnLookup(conf.caseSensitiveAnalysis)

  final override def keys(columns: Seq[String]): KeyOpener = KeyOpener.Parquet

  final override def lakeFormat: Option[LakeFormat] = Some(format)

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

  final override def columnNames(requested: Seq[String], resolver: Resolver): Seq[String] =
    requested.map(column(_, resolver).name)

  final override def sampled(caseSensitive: Boolean): Option[SampledTable] =
    Some(SampledTable(columns.stored.map(c => c.name -> c.path), caseSensitive))
}
