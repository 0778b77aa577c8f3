package io.sbbf.spark.inspect

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.ColumnPath.{Field, Step}
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.column.TableColumns.StoredColumn
import io.sbbf.spark.predicate.cast.CharPadding
import io.sbbf.spark.util.FieldId

/**
 * The column of a table whose values are probed.
 *
 * @param name the name by which errors name it
 * @param path its path, by which files are searched
 * @param lookup the rules by which it is found and its values are read
 * @param charLength the n of CHAR(n)
 */
private[spark] final case class ProbedColumn(
    name: String,
    path: ColumnPath,
    dataType: DataType,
    lookup: ColumnLookup,
    charLength: Option[Int]) {

  /** Returns the values that files may store for a value: those of CHAR(n) with blanks or without. */
  def stored(value: Any): Seq[Any] = (charLength, value) match {
    case (Some(n), text: UTF8String) => CharPadding.stored(text, n)
    case _ => Seq(value)
  }
}

private[spark] object ProbedColumn {

  /**
   * Returns the column of files of a path.
   *
   * @param schema the schema of the table or of its files, without partition columns
   * @throws IllegalArgumentException if there is no such column
   */
  def of(table: String, schema: StructType, column: String, conf: SQLConf): ProbedColumn = {
    val byId = SparkInternals.readsByFieldId(conf)
    val found =
      splitPath(column)
        .foldLeft[Option[(Seq[Step], DataType)]](Some((Nil, TableColumns.declared(schema)))) {
          case (Some((path, struct: StructType)), name) =>
            struct.fields
              .find(f => conf.resolver(f.name, name))
              .map(f => (path :+ Field(f.name, FieldId.of(f).filter(_ => byId)), f.dataType))
          case _ => None
        }
    val lookup =
      ColumnLookup(conf.caseSensitiveAnalysis, TableColumns.defaulted(schema).fieldNames.toSet)
    found
      .map { case (path, declared) =>
        ProbedColumn(
          column,
          ColumnPath(path),
          TableColumns.read(declared),
          lookup,
          TableColumns.charLength(declared))
      }
      .getOrElse(throw new IllegalArgumentException(
        s"$table has no column '$column'; its columns are ${schema.fieldNames.mkString(", ")}"))
  }

  /** Returns the column of a table that names its columns. */
  def of(column: StoredColumn, lookup: ColumnLookup): ProbedColumn =
    ProbedColumn(column.name, column.path, column.dataType, lookup, column.charLength)

  /** Splits a dotted path into names. A name that contains dots is in backticks. */
  def splitPath(column: String): Seq[String] = UnresolvedAttribute.parseAttributeName(column)
}
