package io.sbbf.spark.column

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.ColumnPath.{Element, Field, Key, Step, Value}
import io.sbbf.spark.util.FieldId

/**
 * The columns of a table that its files store, and where.
 *
 * @param inTable their schema in the table
 * @param inFiles the same fields in the same order, with their names and possibly ids in the files
 */
private[spark] final class TableColumns(inTable: StructType, inFiles: StructType) {
  import TableColumns._

  /** The columns of the files; those of nested types are their components. */
  val stored: Seq[StoredColumn] = leaves(Nil, Nil, declared(inTable), inFiles)

  /** Returns the column with these names in the table. */
  def find(names: Seq[String], resolver: Resolver): Option[StoredColumn] =
    stored.find { column =>
      column.names.size == names.size && column.names.zip(names).forall { case (a, b) =>
        resolver(a, b)
      }
    }

  private def leaves(
      names: Seq[String],
      path: Seq[Step],
      table: DataType,
      file: DataType): Seq[StoredColumn] =
    (table, file) match {
      case (StructType(fields), StructType(stored)) =>
        fields.toSeq.zip(stored).flatMap { case (field, in) =>
          leaves(
            names :+ field.name,
            path :+ Field(in.name, FieldId.of(in)),
            field.dataType,
            in.dataType)
        }
      case (ArrayType(table, _), ArrayType(file, _)) => within(names, path, Element, table, file)
      case (MapType(key, value, _), MapType(keyInFile, valueInFile, _)) =>
        within(names, path, Key, key, keyInFile) ++ within(names, path, Value, value, valueInFile)
      case _ => Seq(StoredColumn(names, ColumnPath(path), read(table), charLength(table)))
    }

  private def within(
      names: Seq[String],
      path: Seq[Step],
      step: Step,
      table: DataType,
      file: DataType): Seq[StoredColumn] =
    leaves(names :+ step.toString, path :+ step, table, file)
}

private[spark] object TableColumns {

  /** Returns the columns that have a value, not NULL, in files that were written before them. */
  def defaulted(schema: StructType): StructType =
    StructType(schema.filter(_.metadata.contains(ExistsDefault)))

  /** Returns a schema with the declared types CHAR(n) and VARCHAR(n), which Spark reads as STRING. */
  def declared(schema: StructType): StructType =
    StructType(schema.map(field =>
      CharVarcharUtils.getRawType(field.metadata).fold(field)(of => field.copy(dataType = of))))

  /** Returns the type by which Spark reads a declared one that is not nested. */
  def read(declared: DataType): DataType = declared match {
    case CharType(_) | VarcharType(_) => StringType
    case other => other
  }

  /** Returns the n of CHAR(n). */
  def charLength(declared: DataType): Option[Int] = declared match {
    case CharType(n) => Some(n)
    case _ => None
  }

  /** The key of Spark's `ResolveDefaultColumns`. */
  private final val ExistsDefault = "EXISTS_DEFAULT"

  /**
   * @param names its names in the table; `element`, `key` and `value` stand for the contents of
   *   arrays and maps
   * @param path where the files hold its values
   * @param charLength the n of CHAR(n), whose values files may store padded or not
   */
  final case class StoredColumn(
      names: Seq[String],
      path: ColumnPath,
      dataType: DataType,
      charLength: Option[Int]) {
    def name: String = names.mkString(".")
  }
}
