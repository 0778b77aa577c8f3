package io.sbbf.spark.files

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FileSourceOptions

/** Decides whether a pruned format may cut a file into several splits. */
private[files] object SplitRule {

  /**
   * Returns false for a file of which little survives, so that one task reads it. With
   * `ignoreCorruptFiles`, damage ends a task without an error. Splits then stay as without
   * pruning, so that damage loses no more rows than it would without pruning.
   *
   * @param index the pruned files; null on executors
   */
  def maySplit(
      index: PrunedFileIndex,
      preserveSplits: Boolean,
      session: SparkSession,
      options: Map[String, String],
      path: Path): Boolean =
    preserveSplits || new FileSourceOptions(options).ignoreCorruptFiles || index == null ||
      !index.selection.exists(_.isOneTask(path, session.sessionState.conf.filesMaxPartitionBytes))
}
