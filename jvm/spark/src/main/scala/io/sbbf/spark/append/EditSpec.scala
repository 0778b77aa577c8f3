package io.sbbf.spark.append

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.schema.MessageType

import io.sbbf.parquet.append.FileEdit
import io.sbbf.parquet.values.ValueKind
import io.sbbf.spark.write.FilterOptions

/**
 * A change to the filters of a table's files, independent of the schema of each file.
 *
 * @param settings the columns and the properties of their filters ([[FilterOptions]])
 * @param isDrop whether to drop the filters of the columns, or of all columns if none is named
 * @param replaces whether new filters replace existing ones
 * @param rowGroups the row groups of the table, for an FPP of `auto`
 */
private[spark] final case class EditSpec(
    settings: Map[String, String],
    isDrop: Boolean,
    replaces: Boolean,
    rowGroups: Long) {
  private def options = FilterOptions.of(settings)

  /** The columns that the settings name. */
  def columns: Seq[String] = options.columns

  /** Whether `other`, which differs only in the number of row groups, has the same filters. */
  def isLike(other: EditSpec): Boolean =
    !options.needsTableSize ||
      FilterOptions.autoFpp(rowGroups) == FilterOptions.autoFpp(other.rowGroups)

  /**
   * Returns the change to a file of this schema, or the mistake in the request: a column whose
   * values have no hash, or an invalid setting.
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
