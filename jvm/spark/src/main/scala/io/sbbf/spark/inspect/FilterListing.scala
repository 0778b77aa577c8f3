package io.sbbf.spark.inspect

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.sources.{BaseRelation, TableScan}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SQLContext}
import org.apache.spark.util.SerializableConfiguration

import io.sbbf.parquet.input.FileStore
import io.sbbf.spark.table.{LakeFormat, LakeTable, ParquetPath, TableLocation, TaskFiles}
import io.sbbf.spark.util.{ExecutorJar, TableFiles}

/** The relation behind `format("sbbf")`: one row for each file, row group and listed column. */
private[spark] final case class FilterListing(sqlContext: SQLContext, options: ListingOptions)
    extends BaseRelation
    with TableScan {
  import FilterListing._

  private def conf = sqlContext.sparkSession.sessionState.conf

  override def toString: String = s"filters of $options"

  override def schema: StructType = Schema

  /**
   * Reads the files on the executors, several of them in one task. A file that cannot be read has
   * a row with the reason.
   *
   * @throws IllegalStateException if executors do not have the JAR
   */
  override def buildScan(): RDD[Row] = {
    val session = sqlContext.sparkSession
    ExecutorJar.require(session.sparkContext)
    TableLocation.of(options.path, session) match {
      case table: LakeTable => rowsOf(table)
      case path: ParquetPath =>
        val table = tableOf(path)
        val files = table.location.listFiles(Nil, Nil).flatMap(_.files.map(_.fileStatus))
        if (files.isEmpty) refuseTableFormats(path)
        rows(files, ProbeRequest.of(options, table.dataSchema, conf), path.taskFiles)
    }
  }

  /** A table whose folder has no files of its own keeps them in other folders. */
  private def refuseTableFormats(path: ParquetPath): Unit =
    for ((folder, kind) <- path.tableWithLog; format <- LakeFormat.named(kind))
      throw new IllegalArgumentException(
        s"${path.name} holds no data files, but is the folder of ${format.aTable}, $folder: " +
          "name the table instead of the folder.")

  /** Reads the files of a Delta or Iceberg table on the executors. */
  def rowsOf(table: LakeTable): RDD[Row] =
    rows(table.files, ProbeRequest.of(options, table, conf), table.taskFiles)

  private def rows(
      files: Seq[FileStatus],
      request: ProbeRequest,
      ofTasks: TaskFiles): RDD[Row] = {
    val session = sqlContext.sparkSession
    val hadoopConf = session.sparkContext.broadcast(
      new SerializableConfiguration(session.sessionState.newHadoopConfWithOptions(Map.empty)))
    session.sparkContext
      .parallelize(
        files.map(ofTasks.serializable),
        TableFiles.slices(files.size, session.sparkContext))
      .mapPartitions { some =>
        val conf = hadoopConf.value.value
        val store = ofTasks.store(conf)
        some.flatMap(FilterListing.rowsOf(_, store, request, conf))
      }
  }

  /**
   * Resolves the path as Spark does: globs, partition directories, hidden files, and errors.
   * Reads the schema only if a value needs its type, because the schema of encrypted files cannot
   * be read without keys.
   */
  private def tableOf(path: ParquetPath): HadoopFsRelation = {
    val reader = sqlContext.sparkSession.read
    val isOrc = path.files.exists(file => OrcListing.is(file.getPath))
    (if (options.value.isEmpty) reader.schema(new StructType) else reader)
      .format(if (isOrc) "orc" else "parquet")
      .load(path.name)
      .queryExecution
      .analyzed
      .collectFirst { case relation: LogicalRelation =>
        relation.relation.asInstanceOf[HadoopFsRelation]
      }
      .get
  }
}

private[spark] object FilterListing {

  /** Returns the rows of one file. */
  def rowsOf(
      file: FileStatus,
      store: FileStore,
      request: ProbeRequest,
      conf: Configuration): Seq[Row] =
    if (OrcListing.is(file.getPath)) new OrcListing(file, request, conf).rows()
    else new FileListing(file, store, request, conf).rows()

  val Schema: StructType = new StructType()
    .add("file_name", StringType, nullable = false)
    .add("row_group_id", IntegerType)
    .add("path_in_schema", StringType)
    .add("row_group_num_rows", LongType)
    .add("type", StringType)
    .add("stats_null_count", LongType)
    .add("bloom_filter_offset", LongType)
    .add("bloom_filter_length", IntegerType)
    .add("filter_bytes", IntegerType)
    .add("blocks", IntegerType)
    .add("fill", DoubleType)
    .add("fpp", DoubleType)
    .add("distinct_estimate", LongType)
    .add("checks", StringType)
    .add("evidence", StringType)
    .add("verdict", StringType)
    .add("reason", StringType)
}
