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
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.location.TableLocation
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
    val isOrc = named.isOrc || named.files.exists(file => OrcListing.is(file.getPath))
    val schema = if (options.needsType) named.tableSchema else Some(new StructType)
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

  /** Returns the files, or those of the partitions that the options select. */
  private def files: Seq[FileStatus] = options.where.fold(allFiles)(named.filesWhere(_, session))

  private def allFiles: Seq[FileStatus] =
    if (named.lakeFormat.isDefined) named.files
    else {
      val found = ofPath.location.listFiles(Nil, Nil).flatMap(_.files.map(_.fileStatus))
      if (found.isEmpty) refuseTableFormats()
      found
    }

  /** A table whose folder has no files of its own keeps them in other folders. */
  private def refuseTableFormats(): Unit =
    for ((folder, kind) <- named.tableWithLog; format <- Formats.lake(kind))
      throw new IllegalArgumentException(
        s"${named.name} holds no data files, but is the folder of ${format.aTable}, $folder: " +
          "name the table instead of the folder.")

  /**
   * Returns the request that the options make.
   *
   * @throws IllegalArgumentException as in [[ProbeRequest.of]], or if the files have no such column
   */
  def request: ProbeRequest =
    options.column
      .flatMap(ofTable)
      .fold(ProbeRequest.of(options, ofPath.dataSchema, conf).copy(areOrc = named.isOrc))(
        ProbeRequest.of(options, _, conf))

  /**
   * Returns a column whose values are probed.
   *
   * @throws IllegalArgumentException if the files have no such column
   */
  def column(name: String): ProbedColumn =
    ofTable(name).getOrElse(ProbedColumn.of(named.name, ofPath.dataSchema, name, conf))

  /** Returns a column of a table that names its columns, None if the files do. */
  private def ofTable(name: String): Option[ProbedColumn] =
    named.column(name, conf.resolver).map(ProbedColumn.of(_, named.lookup(conf)))

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
