package io.sbbf.spark.files

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.execution.datasources.FileFormat

import io.sbbf.parquet.result.ScanPruning

/**
 * Names and splits the files of a pruned scan; a format of Spark's own reads them. Two of these
 * formats are equal if their classes and their `preserveSplits` are equal, because all formats of
 * one of Spark's classes are.
 */
private[spark] trait PrunedFormat extends FileFormat {

  /** The pruned files of the relation; null on executors. */
  protected def index: PrunedFileIndex

  /** The value of the index. */
  protected def preserveSplits: Boolean

  protected final def selection: Option[ScanPruning] = Option(index).flatMap(_.selection)

  /** Returns the text that EXPLAIN shows as the format. */
  override def toString: String =
    selection.fold(super.toString)(s => s"${super.toString} (${s.summary}${index.lateText})")

  override def equals(other: Any): Boolean = other match {
    case that: PrunedFormat =>
      that.getClass == getClass && that.preserveSplits == preserveSplits
    case _ => false
  }
  override def hashCode: Int = getClass.hashCode

  /**
   * Returns false for a file of which little survives, so that one task reads it. With
   * `ignoreCorruptFiles`, damage ends a task without an error. Splits then stay as without
   * pruning, so that damage loses no more rows than it would without pruning.
   */
  override def isSplitable(
      session: SparkSession,
      options: Map[String, String],
      path: Path): Boolean = {
    def isOneTask =
      selection.exists(_.isOneTask(path, session.sessionState.conf.filesMaxPartitionBytes))
    (preserveSplits || new FileSourceOptions(options).ignoreCorruptFiles || !isOneTask) &&
    super.isSplitable(session, options, path)
  }
}
