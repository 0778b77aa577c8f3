package io.sbbf.spark.inspect

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.sources.{BaseRelation, TableScan}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SQLContext}

import io.sbbf.parquet.input.FileStore

/** The relation behind `format("sbbf")`: one row for each file, row group and listed column. */
private[spark] final case class FilterListing(sqlContext: SQLContext, options: ListingOptions)
    extends BaseRelation
    with TableScan {

  override def toString: String = s"filters of $options"

  override def schema: StructType = FilterListing.Schema

  /** Reads the files in tasks. A file that cannot be read has a row with the reason. */
  override def buildScan(): RDD[Row] = {
    val files = new ListedFiles(sqlContext.sparkSession, options)
    val request = files.request
    files.inTasks((some, store, conf) =>
      some.flatMap(FilterListing.rowsOf(_, store, request, conf)))
  }
}

private[spark] object FilterListing {

  /** Returns the rows of one file. */
  def rowsOf(
      file: FileStatus,
      store: FileStore,
      request: ProbeRequest,
      conf: Configuration): Seq[Row] =
    if (request.isOrc(file)) new OrcListing(file, request, conf).rows()
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
