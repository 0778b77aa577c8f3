package io.sbbf.spark.append

import org.apache.spark.internal.Logging
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{DoubleType, IntegerType, LongType, StringType, StructType}

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.util.{JsonRow, LogOnce}

/**
 * What became of the filters of one file.
 *
 * @param reason why not, where the status is one of those that need one
 * @param filters that were written, or would be
 * @param filterBytes of them; of those that would be written, as those of a sample
 * @param bytesRead of column chunks, compressed
 * @param bytes that were written, or would be: the file with its filters
 * @param seconds that the task took which wrote it; where it would be written, its share of the time on all cores
 */
private[spark] final case class AddFiltersOutcome(
    file: String,
    status: AddFiltersOutcome.Status,
    reason: String = "",
    rowGroups: Int = 0,
    filters: Int = 0,
    filterBytes: Long = 0,
    bytesRead: Long = 0,
    bytes: Long = 0,
    seconds: Double = 0) {
  def row: Row =
    Row(file, status.name, reason, rowGroups, filters, filterBytes, bytesRead, bytes, seconds)

  def json: String = JsonRow(AddFiltersOutcome.Schema, row)
}

private[spark] object AddFiltersOutcome extends Logging {
  sealed abstract class Status(val name: String) extends Product with Serializable

  /** The file has what was asked for now. */
  case object Done extends Status("done")

  /** The file would get it. */
  case object Planned extends Status("planned")

  /** The file had it already, or none of the columns. */
  case object Unchanged extends Status("unchanged")

  /** The file is none that may be changed. */
  case object Refused extends Status("refused")

  /** The file is as it was, because of some trouble; or it has its filters, and the word of it was lost. */
  case object Failed extends Status("failed")

  val Schema: StructType = new StructType()
    .add("file", StringType, nullable = false)
    .add("status", StringType, nullable = false)
    .add("reason", StringType, nullable = false)
    .add("row_groups", IntegerType, nullable = false)
    .add("filters", IntegerType, nullable = false)
    .add("filter_bytes", LongType, nullable = false)
    .add("bytes_read", LongType, nullable = false)
    .add("bytes", LongType, nullable = false)
    .add("seconds", DoubleType, nullable = false)

  /** Why a file failed; Spark's log says where it came from, also without any message that may hold values. */
  def reason(file: String, e: Throwable): String = {
    logWarning(s"The filters of $file stay as they are", LogOnce.traceOf(e))
    RecoverableError.message(e)
  }
}
