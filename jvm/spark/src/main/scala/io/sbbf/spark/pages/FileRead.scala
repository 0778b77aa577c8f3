package io.sbbf.spark.pages

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

/**
 * What a scan reads of its files, as Spark requests it of a format.
 *
 * @param required the columns that it reads from files
 * @param data all columns of the files
 * @param partitions those whose values come from folders, also if files have them as well
 * @param pushed the filters that parquet-mr evaluates
 */
private[spark] final case class FileRead(
    required: StructType,
    data: StructType,
    partitions: StructType,
    pushed: Seq[Filter],
    options: Map[String, String],
    conf: Configuration) {

  /** Returns the read of a filter's columns by a reader of rows, which can return batches instead. */
  def keysOnly(filter: RowFilter): FileRead = copy(
    required = filter.schema,
    pushed = filter.pushed(pushed),
    options = options + (FileFormat.OPTION_RETURNING_BATCH -> "false"),
    // Spark's format writes the columns into it
    conf = new Configuration(conf)
  )
}

private[spark] object FileRead {

  /** Reads a part of a file. Elements are rows or, under the same static type, column batches. */
  type Reader = PartitionedFile => Iterator[InternalRow]
}
