package io.sbbf.spark.source

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.io.compress.CompressionCodecFactory
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FileFormat, HadoopFsRelation, PartitionedFile}
import org.apache.spark.sql.types.{StructField, StructType}

import io.sbbf.spark.files.SourceFormat

/**
 * Spark's own readers of the files of a table, for tasks. They read as a query does, with the
 * options, the schema and the settings of the session that made them, but never skip damage.
 *
 * @param columns the columns to read
 * @param places the place of each column in the rows of `together`
 * @param together reads the columns beside others; fails at a malformed record
 * @param alone reads each column alone
 * @param dependsOnOthers whether other columns could influence what a reader finds in one
 * @param hasHeaders whether the first split of a file may have a header, which others read as a row
 */
private[spark] final class SourceReaders private (
    val columns: IndexedSeq[SourceColumn],
    val places: IndexedSeq[Int],
    together: SourceReaders.Reader,
    alone: IndexedSeq[SourceReaders.Reader],
    val dependsOnOthers: Boolean,
    val isOrc: Boolean,
    hasHeaders: Boolean)
    extends Serializable {
  import SourceReaders.split

  /** Returns the rows of a file, with columns at [[places]]. A row may be reused for the next one. */
  def rows(file: FileStatus, conf: Configuration): Iterator[InternalRow] =
    splits(file, conf).flatMap(together)

  /** Returns the rows of a file with a column alone. A row may be reused for the next one. */
  def rows(file: FileStatus, conf: Configuration, column: Int): Iterator[InternalRow] =
    splits(file, conf).flatMap(alone(column))

  /**
   * Returns splits with all rows that any other splits have: if a header is not in the first line, it
   * may be in the second split of a scan.
   */
  private def splits(file: FileStatus, conf: Configuration): Iterator[PartitionedFile] = {
    val isPlain = new CompressionCodecFactory(conf).getCodec(file.getPath) == null
    if (hasHeaders && isPlain && file.getLen > 1)
      Iterator(split(file, 0, 1), split(file, 1, file.getLen - 1))
    else Iterator(split(file, 0, file.getLen))
  }
}

private[spark] object SourceReaders {
  private type Reader = PartitionedFile => Iterator[InternalRow]

  /** Returns the readers of some columns. */
  def of(table: HadoopFsRelation, columns: IndexedSeq[SourceColumn]): SourceReaders = {
    val session = table.sparkSession
    val resolver = session.sessionState.conf.resolver
    val inFiles = table.dataSchema.filterNot { field =>
      table.partitionSchema.exists(p => resolver(p.name, field.name))
    }
    val isText = SourceFormat.hasMalformedRecords(table.fileFormat)
    def reader(fields: Seq[StructField], options: (String, String)*): Reader = {
      val replaced = Options ++ options
      val own = table.options.filterNot { case (key, _) =>
        replaced.keys.exists(_.equalsIgnoreCase(key))
      } ++ replaced
      table.fileFormat.buildReaderWithPartitionValues(
        session,
        table.dataSchema,
        new StructType,
        StructType(fields),
        Nil,
        own,
        session.sessionState.newHadoopConfWithOptions(own))
    }
    val fields = columns.map(column => inFiles.find(_.name == column.name).get)
    val all = if (isText) inFiles else fields
    new SourceReaders(
      columns,
      columns.map(column => all.indexWhere(_.name == column.name)),
      if (isText) reader(all, FailFast) else reader(all),
      fields.map(field => reader(Seq(field))),
      dependsOnOthers = isText,
      SourceFormat.isOrc(table.fileFormat),
      hasHeaders = SourceFormat.isCsv(table.fileFormat) &&
        table.fileFormat.isSplitable(session, table.options, new Path("/file.csv"))
    )
  }

  /** Fails at a record that other modes change or drop. */
  private val FailFast = "mode" -> "FAILFAST"

  /** The options of all reads. What is lost to damage may be there in another read. */
  private val Options = Map(
    FileFormat.OPTION_RETURNING_BATCH -> "false",
    "ignoreCorruptFiles" -> "false",
    "ignoreMissingFiles" -> "false")

  private def split(file: FileStatus, start: Long, length: Long): PartitionedFile =
    PartitionedFile(
      InternalRow.empty,
      SparkPath.fromPath(file.getPath),
      start,
      length,
      Array.empty[String],
      file.getModificationTime,
      file.getLen,
      Map.empty[String, Any])
}
