package io.sbbf.spark.append

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.schema.MessageType

import io.sbbf.parquet.append.FileEdit
import io.sbbf.parquet.values.ValueKind
import io.sbbf.spark.write.FilterOptions

/**
 * What is to become of the filters of a table's files, whatever the schema of each.
 *
 * @param settings that name the columns, and how their filters are to be ([[FilterOptions]])
 * @param isDrop whether the columns lose their filters, all columns where none is named
 * @param replaces whether filters are made also in place of those that are there
 * @param rowGroups of the table, for an FPP of `auto`
 */
private[spark] final case class EditSpec(
    settings: Map[String, String],
    isDrop: Boolean,
    replaces: Boolean,
    rowGroups: Long) {
  private def options = FilterOptions.of(settings)

  /** Those that are named. */
  def columns: Seq[String] = options.columns

  /** Whether the filters are the same, for what differs is the number of row groups. */
  def isLike(other: EditSpec): Boolean =
    !options.needsTableSize ||
      FilterOptions.autoFpp(rowGroups) == FilterOptions.autoFpp(other.rowGroups)

  /**
   * For a file of this schema; or what is wrong: a column whose values have no hash, a setting.
   */
  def of(schema: MessageType): Either[String, FileEdit] =
    try Right(if (isDrop) dropping(schema) else adding(schema))
    catch { case e: IllegalArgumentException => Left(e.getMessage) }

  private def dropping(schema: MessageType): FileEdit = {
    val paths = leaves(schema).map(path)
    val dropped = paths.indices.filter(n => columns.isEmpty || columns.contains(paths(n)))
    FileEdit(Nil, dropped)
  }

  private def adding(schema: MessageType): FileEdit = {
    val requests = options.requests(schema, rowGroups)
    leaves(schema).zipWithIndex.foreach { case (leaf, number) =>
      if (columns.contains(path(leaf)) && !requests.exists(_.column == number))
        throw new IllegalArgumentException(
          s"column '${path(leaf)}' is ${leaf.getPrimitiveType}: ${ValueKind.WhyNone}")
    }
    FileEdit(requests, if (replaces) requests.map(_.column) else Nil)
  }

  private def leaves(schema: MessageType): Seq[ColumnDescriptor] =
    schema.getColumns.asScala.toSeq

  private def path(leaf: ColumnDescriptor): String = leaf.getPath.mkString(".")
}
