package io.sbbf.spark.files

import java.util.Locale

import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.text.TextFileFormat
import org.apache.spark.sql.sources.DataSourceRegister

/** Recognizes the file formats whose scans can be pruned. */
private[spark] object SourceFormat {

  def isParquet(format: FileFormat): Boolean =
    isOwn(format, classOf[ParquetFileFormat])

  def isOrc(format: FileFormat): Boolean =
    isOwn(format, classOf[OrcFileFormat])

  /** Returns whether an index of the format rules out whole files. */
  def isIndexedByFile(format: FileFormat): Boolean = isOrc(format) || needsIndex(format)

  /** Returns whether only an index can rule out files, which hold no evidence themselves. */
  def needsIndex(format: FileFormat): Boolean =
    hasMalformedRecords(format) || format.getClass == classOf[TextFileFormat] ||
      format.getClass.getName == Avro

  /** Returns whether values may depend on the other columns of a read, as in malformed records. */
  def hasMalformedRecords(format: FileFormat): Boolean =
    isCsv(format) || format.getClass == classOf[JsonFileFormat]

  def isCsv(format: FileFormat): Boolean = format.getClass == classOf[CSVFileFormat]

  /** Returns whether tasks read only what is kept of a file. */
  def isTrimmed(format: FileFormat): Boolean =
    format.isInstanceOf[PrunedFormat]

  /** Returns whether it is Spark's own class, or the one that reads what is left of its files. */
  private def isOwn(format: FileFormat, ofSpark: Class[_]): Boolean =
    format.getClass == ofSpark || isTrimmed(format) && ofSpark.isInstance(format)

  /** Returns the name by which SQL names the format, such as `csv`. */
  def nameOf(format: FileFormat): String = format match {
    case named: DataSourceRegister => named.shortName().toLowerCase(Locale.ROOT)
    case other => other.getClass.getName
  }

  /** The class of the module spark-avro, which is no part of every Spark. */
  private final val Avro = "org.apache.spark.sql.avro.AvroFileFormat"
}
