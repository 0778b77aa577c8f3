package io.sbbf.spark.inspect

import scala.reflect.ClassTag

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import io.sbbf.parquet.input.FileStore
import io.sbbf.spark.table.{LakeFormat, LakeTable, ParquetPath, TableLocation}
import io.sbbf.spark.util.{ExecutorJar, TableFiles}

/**
 * The files that a listing reads, and their columns.
 *
 * @throws IllegalArgumentException if the options name no table or path, or one of a format whose
 *   files cannot be listed
 */
private[inspect] final class ListedFiles(session: SparkSession, options: ListingOptions) {
  private val conf = session.sessionState.conf
  private val named = TableLocation.ofListing(options.path, session)

  /**
   * The path, resolved as Spark does: globs, partition directories, hidden files, and errors. The
   * schema of files is read only if a value needs a type and no table has one, because the schema
   * of encrypted files cannot be read without keys.
   */
  private lazy val ofPath: HadoopFsRelation = {
    val reader = session.read
    schema
      .fold(reader)(reader.schema)
      .format(if (isOrc) "orc" else "parquet")
      .load(named.name)
      .queryExecution
      .analyzed
      .collectFirst { case relation: LogicalRelation =>
        relation.relation.asInstanceOf[HadoopFsRelation]
      }
      .get
  }

  /** The schema to read the path with, None for that of a file. */
  private def schema: Option[StructType] = named match {
    case path: ParquetPath if options.needsType => path.tableSchema
    case _ => Some(new StructType)
  }

  private lazy val isOrc: Boolean = named match {
    case path: ParquetPath =>
      path.isOrc || path.files.exists(file => OrcListing.is(file.getPath))
    case _: LakeTable => false
  }

  /** Returns the files, or those of the partitions that the options select. */
  private def files: Seq[FileStatus] = options.where.fold(allFiles)(named.filesWhere(_, session))

  private def allFiles: Seq[FileStatus] = named match {
    case table: LakeTable => table.files
    case path: ParquetPath =>
      val found = ofPath.location.listFiles(Nil, Nil).flatMap(_.files.map(_.fileStatus))
      if (found.isEmpty) refuseTableFormats(path)
      found
  }

  /** A table whose folder has no files of its own keeps them in other folders. */
  private def refuseTableFormats(path: ParquetPath): Unit =
    for ((folder, kind) <- path.tableWithLog; format <- LakeFormat.named(kind))
      throw new IllegalArgumentException(
        s"${path.name} holds no data files, but is the folder of ${format.aTable}, $folder: " +
          "name the table instead of the folder.")

  /**
   * Returns the request that the options make.
   *
   * @throws IllegalArgumentException as in [[ProbeRequest.of]]
   */
  def request: ProbeRequest = named match {
    case table: LakeTable => ProbeRequest.of(options, table, conf)
    case path: ParquetPath =>
      ProbeRequest.of(options, ofPath.dataSchema, conf).copy(isOrc = path.isOrc)
  }

  /**
   * Returns a column whose values are probed.
   *
   * @throws IllegalArgumentException if the files have no such column
   */
  def column(name: String): ProbedColumn = named match {
    case table: LakeTable => ProbedColumn.of(table, name, conf)
    case path: ParquetPath => ProbedColumn.of(path.name, ofPath.dataSchema, name, conf)
  }

  /**
   * Returns the results of `work` for the files, on the executors. A task has several files.
   *
   * @throws IllegalStateException if executors do not have the JAR
   */
  def inTasks[T: ClassTag](
      work: (Iterator[FileStatus], FileStore, Configuration) => Iterator[T]): RDD[T] = {
    val context = session.sparkContext
    ExecutorJar.require(context)
    val hadoopConf = context.broadcast(
      new SerializableConfiguration(session.sessionState.newHadoopConfWithOptions(Map.empty)))
    val ofTasks = named.taskFiles
    val listed = files.map(ofTasks.serializable)
    context
      .parallelize(listed, TableFiles.slices(listed.size, context))
      .mapPartitions { some =>
        val conf = hadoopConf.value.value
        work(some, ofTasks.store(conf), conf)
      }
  }
}
