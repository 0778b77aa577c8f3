package io.sbbf.spark.append

import org.apache.spark.internal.Logging
import org.apache.spark.sql.types.{BooleanType, DoubleType, IntegerType, LongType, StringType}

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.util.{LogOnce, RowFields}

/**
 * The outcome for the filters of one file.
 *
 * @param reason the reason for a status that needs one
 * @param filters the number of filters that were written, or would be
 * @param filterBytes the bytes of these filters; in a dry run an estimate from a sample
 * @param bytesRead the compressed bytes of the column chunks to read
 * @param bytes the bytes that were written, or would be: the file with its filters
 * @param seconds the time of the task that wrote the file; in a dry run the file's share of the
 *   time on all cores
 * @param hasOffsetIndexes whether tasks can read some pages of a row group; true if it is unknown
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
    seconds: Double = 0,
    hasOffsetIndexes: Boolean = true)

private[spark] object AddFiltersOutcome extends Logging {
  sealed abstract class Status(val name: String) extends Product with Serializable

  /** The file has been changed as requested. */
  case object Done extends Status("done")

  /** A dry run: the file would be changed. */
  case object Planned extends Status("planned")

  /** The file needed no change, or has none of the columns. */
  case object Unchanged extends Status("unchanged")

  /** The file must not be changed. */
  case object Refused extends Status("refused")

  /**
   * An error occurred. The file is as it was; or it has its filters, and the task's result was
   * lost.
   */
  case object Failed extends Status("failed")

  val Fields: RowFields[AddFiltersOutcome] = RowFields
    .of[AddFiltersOutcome]
    .add("file_name", StringType)(_.file)
    .add("status", StringType)(_.status.name)
    .add("reason", StringType)(_.reason)
    .add("row_groups", IntegerType)(_.rowGroups)
    .add("filters", IntegerType)(_.filters)
    .add("filter_bytes", LongType)(_.filterBytes)
    .add("bytes_read", LongType)(_.bytesRead)
    .add("bytes", LongType)(_.bytes)
    .add("seconds", DoubleType)(_.seconds)
    .add("has_offset_indexes", BooleanType)(_.hasOffsetIndexes)

  /**
   * Returns why a file failed, and logs the stack trace without messages, which may hold values.
   */
  def reason(file: String, e: Throwable): String = {
    logWarning(s"Failed to change the filters of $file", LogOnce.traceOf(e))
    RecoverableError.message(e)
  }
}
