package io.sbbf.spark.inspect

import org.apache.commons.codec.DecoderException
import org.apache.commons.codec.binary.Hex
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.Value
import io.sbbf.spark.column.CatalystValue
import io.sbbf.spark.util.SbbfConf

/**
 * What is asked of every file.
 *
 * @param column the one column to list; None lists those that have a filter
 * @param leaf what to ask of that column, if anything
 */
private[spark] final case class ProbeRequest(
    column: Option[Seq[String]],
    leaf: Option[Leaf],
    caseSensitive: Boolean,
    tailBytes: Int)

private[spark] object ProbeRequest {

  /**
   * With the option's value cast as Spark casts text to the column's type. Throws IllegalArgumentException for
   * a column that `schema` does not have and for a value that is none of its type.
   *
   * @param schema of the table, without its partition columns; asked for only where there is a value
   */
  def of(options: ListingOptions, schema: => StructType, conf: SQLConf): ProbeRequest = {
    val leaf = for (column <- options.column; value <- options.value) yield {
      val (path, dataType) = resolve(options.path, schema, column, conf)
      Leaf(path, In(Seq(literal(value, options.isHex, column, dataType, conf))))
    }
    ProbeRequest(
      options.column.map(splitPath),
      leaf,
      conf.caseSensitiveAnalysis,
      SbbfConf.TailBytes.get(conf).toInt)
  }

  /** Names of a dotted path; a name that holds dots stands in backticks. */
  def splitPath(column: String): Seq[String] = UnresolvedAttribute.parseAttributeName(column)

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
        throw new IllegalArgumentException("the option valueHex is not hexadecimal")
    }
}
