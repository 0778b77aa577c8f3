package io.sbbf.spark.inspect

import org.apache.commons.codec.DecoderException
import org.apache.commons.codec.binary.Hex
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.Value
import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.footer.FooterReader
import io.sbbf.parquet.input.{Decryption, FileBytes}
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.spark.column.CatalystValue

/**
 * The listing or probe of every file.
 *
 * @param column the one column to list; None lists those that have a filter
 * @param leaf the predicate to evaluate on that column, if any
 * @param lookup the rules by which the column is found and its values are read
 * @param areOrc whether all files are ORC files, whatever their names
 */
private[spark] final case class ProbeRequest(
    column: Option[ListedColumn],
    leaf: Option[Leaf],
    lookup: ColumnLookup,
    areOrc: Boolean = false) {

  /** Returns whether a file is listed as ORC. */
  def isOrc(file: FileStatus): Boolean = areOrc || OrcListing.is(file.getPath)

  /**
   * Returns the evidence of a Parquet file.
   *
   * @param conf the configuration that leads to the keys of encrypted columns
   */
  def evidence(bytes: FileBytes, conf: Configuration): FileEvidence =
    new FileEvidence(
      FooterReader.read(bytes, Decryption.of(conf, column.flatMap(_.root).map(Seq(_)))))
}

private[spark] object ProbeRequest {

  /**
   * Returns the request for files of a path. [[TextReader]] reads the value as the column's type.
   *
   * @param schema the schema of the table without its partition columns, evaluated only for a
   *   value
   * @throws IllegalArgumentException for a column that `schema` lacks, or a value not of its type
   */
  def of(options: ListingOptions, schema: => StructType, conf: SQLConf): ProbeRequest = {
    val probed =
      for (column <- options.column; _ <- options.value)
        yield ProbedColumn.of(options.path, schema, column, conf)
    val column =
      options.column.map(column => ListedColumn.Named(ProbedColumn.splitPath(column)))
    val lookup = probed.fold(ColumnLookup(conf.caseSensitiveAnalysis))(_.lookup)
    ProbeRequest(column, leafOf(probed, options, conf), lookup)
  }

  /**
   * Returns the request for a column of a table that names its columns.
   *
   * @throws IllegalArgumentException for a value not of its type
   */
  def of(options: ListingOptions, column: ProbedColumn, conf: SQLConf): ProbeRequest =
    ProbeRequest(
      Some(ListedColumn.Stored(column.name, column.path)),
      leafOf(Some(column), options, conf),
      column.lookup)

  private def leafOf(
      column: Option[ProbedColumn],
      options: ListingOptions,
      conf: SQLConf): Option[Leaf] =
    for (c <- column; value <- options.value)
      yield Leaf(c.path, In(literals(value, options.isHex, c, conf)))

  /** Returns the values that the files may store for the value that the text states. */
  private def literals(
      text: String,
      isHex: Boolean,
      column: ProbedColumn,
      conf: SQLConf): Seq[Value] = {
    val dataType = column.dataType
    val value = dataType match {
      case BinaryType if isHex => Some(unhex(text))
      case StringType if isHex => Some(UTF8String.fromBytes(unhex(text)))
      case _ if isHex =>
        throw new IllegalArgumentException(
          s"the value is bytes, and the column '${column.name}' is ${dataType.sql}: expected " +
            "BINARY or STRING; give the value as text")
      case _ =>
        new TextReader(dataType, conf.sessionLocalTimeZone).read(UTF8String.fromString(text))
    }
    val found = value.toSeq.flatMap(column.stored).flatMap(CatalystValue.convert(_, dataType))
    if (found.isEmpty)
      throw new IllegalArgumentException(
        s"the value cannot be read as ${dataType.sql}, the type of column '${column.name}'")
    found
  }

  private def unhex(text: String): Array[Byte] =
    try Hex.decodeHex(text)
    catch {
      case _: DecoderException =>
        throw new IllegalArgumentException("the option value_hex is not hexadecimal")
    }
}
