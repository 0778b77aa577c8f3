package io.sbbf.parquet.model

import org.apache.parquet.format.{FileMetaData, KeyValue}

/**
 * The facts about a file's writer by which Spark reads dates and times.
 *
 * Spark reads a file by the Julian calendar if these keys say so. It consults the session's
 * configuration only if the file records no version (Spark's `DataSourceUtils.datetimeRebaseSpec`
 * and `int96RebaseSpec`, which compare versions as texts).
 *
 * @param mayRebase whether Spark may read a DATE or TIMESTAMP as a value other than the stored
 *   one
 * @param isSparkInt96 whether each instant has one encoding as INT96, which Spark reads unchanged
 */
private[parquet] final case class RebaseMetadata(mayRebase: Boolean, isSparkInt96: Boolean)

private[parquet] object RebaseMetadata {
  private val Version = "org.apache.spark.version"
  private val LegacyDateTime = "org.apache.spark.legacyDateTime"
  private val LegacyInt96 = "org.apache.spark.legacyINT96"

  /** The keys of a footer's metadata that decide. */
  val Keys: Set[String] = Set(Version, LegacyDateTime, LegacyInt96)

  /** Returns the entry of a file whose dates and times Spark reads unchanged. */
  def never: KeyValue = new KeyValue(Version).setValue("3.5.0")

  def of(metadata: FileMetaData): RebaseMetadata = {
    var version = ""
    var isLegacy = false
    var isLegacyInt96 = false
    if (metadata.isSetKey_value_metadata) {
      val entries = metadata.getKey_value_metadata.iterator
      while (entries.hasNext) {
        val entry = entries.next()
        entry.getKey match {
          // with two versions, assume the one that proves less
          case Version if entry.getValue == null || version.nonEmpty => version = "0"
          case Version => version = entry.getValue
          case LegacyDateTime => isLegacy = true
          case LegacyInt96 => isLegacyInt96 = true
          case _ =>
        }
      }
    }
    // other writers may have copied Spark's keys; Spark may adjust their INT96 to a time zone
    val isParquetMr = metadata.isSetCreated_by && metadata.getCreated_by.startsWith("parquet-mr")
    RebaseMetadata(
      mayRebase = isLegacy || version < "3.0.0",
      isSparkInt96 = isParquetMr && !isLegacyInt96 && version >= "3.1.0")
  }
}
