package io.sbbf.spark.inspect

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.eval.FileEvidence

/** The one column that a request names. */
private[spark] sealed abstract class ListedColumn {
  def name: String

  /** The names of the top-level column, or None if files may store it under any name. */
  def root: Option[String]

  /** Returns the column's number in a file, -1 if the file has none or more than one. */
  def indexIn(file: FileEvidence, caseSensitive: Boolean): Int
}

private[spark] object ListedColumn {

  /** A column with these names in the files. */
  final case class Named(names: Seq[String]) extends ListedColumn {
    override def name: String = names.mkString(".")
    override def root: Option[String] = names.headOption
    override def indexIn(file: FileEvidence, caseSensitive: Boolean): Int =
      file.columnIndex(names, caseSensitive)
  }

  /** A column with this name in the table, whose files hold it at a path. */
  final case class Stored(name: String, path: ColumnPath) extends ListedColumn {
    override def root: Option[String] =
      Some(path.steps.head).collect { case ColumnPath.Field(name, None) => name }
    override def indexIn(file: FileEvidence, caseSensitive: Boolean): Int =
      file.columnIndex(path, caseSensitive)
  }
}
