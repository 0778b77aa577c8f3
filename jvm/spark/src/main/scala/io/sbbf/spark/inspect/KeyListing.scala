package io.sbbf.spark.inspect

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.sources.{BaseRelation, TableScan}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, Row, SQLContext}

import io.sbbf.spark.util.ClosureBytes

/**
 * The relation behind `format("sbbf")` with keys: one row for each key and each row group that might
 * hold it. A key has the type of the column.
 *
 * @param keys the keys, in one column
 * @throws IllegalArgumentException if the table has no such column, or if the keys have another type
 */
private[spark] final class KeyListing(
    override val sqlContext: SQLContext,
    options: ListingOptions,
    keys: DataFrame)
    extends BaseRelation
    with TableScan {

  private def session = sqlContext.sparkSession
  private val column = new ListedFiles(session, options).column(options.column.get)
  private val probed = new ProbedKeys(keys, column)

  /** The keys for tasks. Spark builds a scan for each plan of it, also for EXPLAIN. */
  private lazy val packed =
    session.sparkContext.broadcast(ClosureBytes.pack(probed.collect()))

  override def toString: String = s"keys in $options"

  override def schema: StructType = KeyListing.schema(column.dataType)

  /** Rows are already those of Catalyst. */
  override def needConversion: Boolean = false

  /**
   * Collects the keys, once for all scans of this relation, and searches the files in tasks. A file
   * that cannot be read might hold all keys; it has no number of a row group then.
   */
  override def buildScan(): RDD[Row] = {
    val files = new ListedFiles(session, options.copy(keys = None)) // whose type is known
    val (request, of, packed) = (files.request, column, this.packed)
    files
      .inTasks { (some, store, conf) =>
        val keys = ClosureBytes.unpack[Array[Any]](packed.value)
        val rows = new KeyRows(keys, of, request, store, conf)
        some.flatMap(rows.ofFile)
      }
      .asInstanceOf[RDD[Row]]
  }
}

private[spark] object KeyListing {
  private[inspect] def schema(key: DataType): StructType = new StructType()
    .add("key", key, nullable = false)
    .add("file_name", StringType, nullable = false)
    .add("row_group_id", IntegerType)
    .add("row_group_num_rows", LongType)
    .add("evidence", StringType)
    .add("reason", StringType)
}
