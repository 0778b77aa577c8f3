package io.sbbf.spark.index

import org.apache.spark.sql.types.{DoubleType, IntegerType, LongType, StringType}

import io.sbbf.spark.util.RowFields

/**
 * What a change of an index did.
 *
 * @param segment the id of the new segment; None if there was nothing to do, or in a dry run
 * @param files the number of files that the segment knows, or would know
 * @param merged the number of these whose keys come from other segments
 * @param skipped the number of files that could not be read, which the segment does not know
 * @param reason why the first of these was skipped; empty if there are none
 * @param keys the number of distinct keys of each column together
 * @param entries the number of pairs of a key and a row group, or of zones; in a dry run at most as
 *   many
 * @param bytes the size of the segment, in a dry run an estimate
 * @param seconds what it took, in a dry run an estimate of what it will take
 */
private[spark] final case class IndexOutcome(
    segment: Option[String],
    files: Int,
    merged: Int,
    skipped: Int,
    reason: String,
    rowGroups: Int,
    keys: Long,
    entries: Long,
    bytes: Long,
    seconds: Double) {

  /** Returns what this change and another one did together. */
  def and(other: IndexOutcome): IndexOutcome =
    IndexOutcome(
      Some((segment ++ other.segment).mkString(", ")).filter(_.nonEmpty),
      files + other.files,
      merged + other.merged,
      skipped + other.skipped,
      if (reason.isEmpty) other.reason else reason,
      rowGroups + other.rowGroups,
      keys + other.keys,
      entries + other.entries,
      bytes + other.bytes,
      seconds + other.seconds
    )
}

private[spark] object IndexOutcome {

  /** The index knows all files. */
  val Nothing: IndexOutcome = IndexOutcome(None, 0, 0, 0, "", 0, 0, 0, 0, 0)

  val Fields: RowFields[IndexOutcome] = RowFields
    .of[IndexOutcome]
    .add("segment", StringType, nullable = true)(_.segment.orNull)
    .add("files", IntegerType)(_.files)
    .add("merged_files", IntegerType)(_.merged)
    .add("skipped_files", IntegerType)(_.skipped)
    .add("reason", StringType)(_.reason)
    .add("row_groups", IntegerType)(_.rowGroups)
    .add("keys", LongType)(_.keys)
    .add("entries", LongType)(_.entries)
    .add("bytes", LongType)(_.bytes)
    .add("seconds", DoubleType)(_.seconds)
}
