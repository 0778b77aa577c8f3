package io.sbbf.spark.inspect

import org.apache.commons.codec.DecoderException
import org.apache.commons.codec.binary.Hex
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.Value
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.spark.column.CatalystValue
import io.sbbf.spark.table.LakeTable
import io.sbbf.spark.util.SbbfConf

/**
 * The listing or probe of every file.
 *
 * @param column the one column to list; None lists those that have a filter
 * @param leaf the predicate to evaluate on that column, if any
 * @param lookup the rules by which the column is found and its values are read
 */
private[spark] final case class ProbeRequest(
    column: Option[ListedColumn],
    leaf: Option[Leaf],
    lookup: ColumnLookup,
    tailBytes: Int)

private[spark] object ProbeRequest {

  /**
   * Returns the request for files of a path. The value is cast to the column's type as Spark casts
   * text.
   *
   * @param schema the schema of the table without its partition columns, evaluated only for a
   *   value
   * @throws IllegalArgumentException for a column that `schema` lacks, or a value not of its type
   */
  def of(options: ListingOptions, schema: => StructType, conf: SQLConf): ProbeRequest = {
    val leaf = for (column <- options.column; value <- options.value) yield {
      val (path, dataType) = resolve(options.path, schema, column, conf)
      Leaf(path, In(Seq(literal(value, options.isHex, column, dataType, conf))))
    }
    val column = options.column.map(column => ListedColumn.Named(splitPath(column)))
    of(column, leaf, ColumnLookup(conf.caseSensitiveAnalysis), conf)
  }

  /**
   * Returns the request for the files of a table, whose columns the options name as the table does.
   *
   * @throws IllegalArgumentException for a column that the files do not store, or a value not of its
   *   type
   */
  def of(options: ListingOptions, table: LakeTable, conf: SQLConf): ProbeRequest = {
    val column = options.column.map(name => table.column(name, conf.resolver))
    val leaf =
      for (c <- column; value <- options.value)
        yield Leaf(c.path, In(Seq(literal(value, options.isHex, c.name, c.dataType, conf))))
    of(column.map(c => ListedColumn.Stored(c.name, c.path)), leaf, table.lookup(conf), conf)
  }

  private def of(
      column: Option[ListedColumn],
      leaf: Option[Leaf],
      lookup: ColumnLookup,
      conf: SQLConf): ProbeRequest =
    ProbeRequest(column, leaf, lookup, SbbfConf.TailBytes.get(conf).toInt)

  /** Splits a dotted path into names. A name that contains dots is in backticks. */
  private def splitPath(column: String): Seq[String] =
    UnresolvedAttribute.parseAttributeName(column)

  private def resolve(
      table: String,
      schema: StructType,
      column: String,
      conf: SQLConf): (Seq[String], DataType) = {
    val found =
      splitPath(column).foldLeft[Option[(Seq[String], DataType)]](Some((Nil, schema))) {
        case (Some((path, struct: StructType)), name) =>
          struct.fields
            .find(f => conf.resolver(f.name, name))
            .map(f => (path :+ f.name, f.dataType))
        case _ => None
      }
    found.getOrElse(
      throw new IllegalArgumentException(
        s"$table has no column '$column'; its columns are ${schema.fieldNames.mkString(", ")}"))
  }

  private def literal(
      text: String,
      isHex: Boolean,
      column: String,
      dataType: DataType,
      conf: SQLConf): Value = {
    val value = dataType match {
      case BinaryType if isHex => unhex(text)
      case _ =>
        Cast(Literal(text), dataType, Some(conf.sessionLocalTimeZone), EvalMode.TRY).eval()
    }
    Option(value)
      .flatMap(CatalystValue.convert(_, dataType))
      .getOrElse(throw new IllegalArgumentException(
        s"the value cannot be read as ${dataType.sql}, the type of column '$column'"))
  }

  private def unhex(text: String): Array[Byte] =
    try Hex.decodeHex(text)
    catch {
      case _: DecoderException =>
        throw new IllegalArgumentException("the option value_hex is not hexadecimal")
    }
}
