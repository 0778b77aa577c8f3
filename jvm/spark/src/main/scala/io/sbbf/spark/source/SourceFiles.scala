package io.sbbf.spark.source

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{Resolver, UnresolvedAttribute}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.TimestampType

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.spark.column.TableColumns.StoredColumn
import io.sbbf.spark.files.{ReadFingerprint, SourceFormat}
import io.sbbf.spark.table.{KeyOpener, NamedFiles, PartitionFilter}

/**
 * The files of a table of ORC, JSON, CSV, Avro or text, which Spark's own readers read with the
 * table's options.
 *
 * @param name the name by which it was found
 * @param session the session that reads them
 */
private[spark] final class SourceFiles(
    val name: String,
    relation: HadoopFsRelation,
    session: SparkSession)
    extends NamedFiles {
  private def format = SourceFormat.nameOf(relation.fileFormat)

  // other threads may change the session's settings between two jobs, and restore them
  private val conf = session.sessionState.conf.clone()

  override def files: Seq[FileStatus] =
    relation.location
      .listFiles(Nil, Nil)
      .flatMap(_.files.map(_.fileStatus))
      .sortBy(_.getPath.toString)

  override protected def selected(condition: String, session: SparkSession): Seq[FileStatus] =
    new PartitionFilter(session, session.baseRelationToDataFrame(relation), condition)
      .ofPartitions()

  override lazy val readAs: Option[String] = readNow
  private def readNow = Some(inSession(ReadFingerprint.of(relation)))

  override def requireSameRead(): Unit =
    if (readNow != readAs)
      throw new IllegalStateException(
        s"settings by which Spark reads $name changed while its index was built: build it again")

  /** Opens files for columns with these names in the schema. */
  override def keys(columns: Seq[String]): KeyOpener = {
    val found = relation.dataSchema.filter(f => columns.contains(f.name))
    val supported = found.flatMap(SourceColumn.of(_)).toIndexedSeq
    val readers = inSession(SourceReaders.of(relation, supported))
    requireSameRead() // the readers have got some settings from the relation's session
    SourceKeys.opener(readers)
  }

  override def settings(session: SparkSession): SQLConf = conf

  /** What Spark makes of options depends on the settings of the session that runs. */
  private def inSession[T](body: => T): T = SQLConf.withExistingConf(conf)(body)

  /**
   * Returns a column of the files that can be indexed.
   *
   * @throws IllegalArgumentException if there is none of this name, or it cannot be indexed
   */
  override def column(requested: String, resolver: Resolver): Option[StoredColumn] = {
    def refuse(why: String): Nothing =
      throw new IllegalArgumentException(s"column '$requested' of $name cannot be indexed: $why")
    val found = UnresolvedAttribute.parseAttributeName(requested) match {
      case Seq(column) if relation.partitionSchema.exists(p => resolver(p.name, column)) =>
        refuse("it is a partition column, by which Spark itself selects files")
      case Seq(column) => relation.dataSchema.find(f => resolver(f.name, column))
      case path if relation.dataSchema.exists(f => resolver(f.name, path.head)) =>
        refuse(s"an index of $format files supports no nested columns")
      case _ => None
    }
    val field = found.getOrElse(throw new IllegalArgumentException(
      s"$name has no column '$requested', as read by Spark; it has " +
        s"${relation.dataSchema.fieldNames.mkString(", ")}. If it needs options, name a table or " +
        "a temporary view that reads it with them"))
    if (SourceColumn.of(field).isEmpty)
      refuse(
        s"an index of $format files supports ${SourceColumn.Supported}, " +
          s"but its type is ${field.dataType.sql}")
    if (field.dataType == TimestampType && SourceFormat.hasMalformedRecords(relation.fileFormat))
      refuse("a time without a date, such as 08:00, is of the day on which Spark reads it")
    for (option <- SourceFiles.Unstable if options.get(option).exists(_ != "false"))
      refuse(s"the option $option makes values depend on more than the file")
    if (readsLongSeparators)
      refuse("lineSep has more than one byte, so that lines depend on how files are split")
    val names = Seq(field.name)
    Some(StoredColumn(names, ColumnPath.named(names), field.dataType, charLength = None))
  }

  private def options: Map[String, String] = relation.options.map { case (key, value) =>
    key.toLowerCase(Locale.ROOT) -> value
  }

  private def readsLongSeparators: Boolean =
    options.get("linesep").exists { separator =>
      separator.getBytes(UTF_8).length != 1 || options.contains("encoding") ||
      options.contains("charset")
    }

  override def roots: Seq[Path] = relation.location.rootPaths
}

private[spark] object SourceFiles {

  /**
   * Returns files of a path as Spark reads them without options, if their names end with that of one
   * format.
   *
   * @param files the files of the path
   */
  def ofPath(path: String, files: Seq[FileStatus], session: SparkSession): Option[SourceFiles] =
    files.map(file => formatOf(file.getPath.getName)).distinct match {
      case Seq(Some(format)) =>
        session.read.format(format).load(path).queryExecution.analyzed match {
          case relation: LogicalRelation => of(path, relation, session)
          case _ => None
        }
      case _ => None
    }

  /** Returns the files that a plan reads, if it has one of the formats. */
  def of(name: String, relation: LogicalRelation, session: SparkSession): Option[SourceFiles] =
    relation.relation match {
      case files: HadoopFsRelation if SourceFormat.isIndexedByFile(files.fileFormat) =>
        Some(new SourceFiles(name, files, session))
      case _ => None
    }

  /**
   * Options of Avro: in some versions of Spark positions are those in the query's columns, and the
   * schema at a URL may change.
   */
  private val Unstable = Seq("positionalfieldmatching", "avroschemaurl")

  private def formatOf(file: String): Option[String] = {
    val endings = file.split('.').drop(1).map(_.toLowerCase(Locale.ROOT)).reverse
    endings.find(!Codecs(_)).flatMap(Formats.get(_))
  }

  private val Codecs = Set("gz", "bz2", "zst", "lz4", "snappy", "deflate")
  private val Formats =
    Map("orc" -> "orc", "json" -> "json", "csv" -> "csv", "avro" -> "avro", "txt" -> "text")
}
