package io.sbbf.parquet.sample

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.format.FileMetaData

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.chunk.ChunkLayout
import io.sbbf.parquet.footer.{FileFooter, FooterBuilder, StoredFile}

/**
 * The columns of a file by their names in its table. Each method throws
 * [[io.sbbf.parquet.model.UnusableFile]] for an unusable file, and java.io.IOException if the file
 * cannot be read.
 *
 * @param table the table that the file belongs to. It names the columns, and columns that it does
 *   not have are omitted. Without it, columns are named by their dotted Parquet paths.
 */
private[parquet] final class NamedColumns(stored: StoredFile, table: Option[SampledTable]) {
  private lazy val located = stored.metadata()

  def metadata: FileMetaData = located.metadata

  /** The leaves of the schema as parquet-mr reads it. */
  lazy val descriptors: IndexedSeq[ColumnDescriptor] = {
    metadata // read first, so that its errors precede those of parquet-mr
    val leaves = stored
      .reading(_.getFileMetaData.getSchema.getColumns)
      .toArray(Array.empty[ColumnDescriptor])
      .toIndexedSeq
    ChunkLayout.check(metadata, leaves.map(_.getPath.toSeq))
    leaves
  }

  lazy val footer: FileFooter = new FooterBuilder(metadata, located.start).build()

  /** The names of the file's columns; None for columns that the table does not have. */
  lazy val names: IndexedSeq[Option[String]] = {
    val all = 0 until footer.numColumns
    table.fold(all.map(c => Option(footer.columnName(c)))) { known =>
      val found = known.columns.flatMap { case (name, path) =>
        columnOf(path, known.caseSensitive).map(_ -> name)
      }.toMap
      all.map(found.get)
    }
  }

  def columnOf(path: ColumnPath, caseSensitive: Boolean): Option[Int] =
    Some(footer.schema.columnOf(path, caseSensitive)).filter(_ >= 0)
}

/**
 * The table that files belong to.
 *
 * @param columns the names of the table's columns, and where its files hold their values
 */
private[sbbf] final case class SampledTable(
    columns: Seq[(String, ColumnPath)],
    caseSensitive: Boolean)
