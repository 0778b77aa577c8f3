package io.sbbf.spark.orc

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import io.sbbf.spark.files.{PrunedFileIndex, PrunedFormat}
import io.sbbf.spark.pages.FileRead
import io.sbbf.spark.pushdown.OrcPushdown
import io.sbbf.spark.read.RowGroupRanges.Readers
import io.sbbf.spark.read.{BroadcastConfCache, RowGroupRanges}
import io.sbbf.spark.util.SbbfConf

/**
 * Runs the readers of Spark's own ORC format, vectorized and row by row, on the surviving stripes.
 *
 * @param index the pruned files of the relation; null on executors
 * @param preserveSplits the value of the index
 */
final class PrunedOrcFormat private[spark] (
    @transient override protected val index: PrunedFileIndex,
    override protected val preserveSplits: Boolean)
    extends OrcFileFormat
    with PrunedFormat {

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration): PartitionedFile => Iterator[InternalRow] = {
    def reader(pushed: Seq[Filter]) = super.buildReaderWithPartitionValues(
      session,
      dataSchema,
      partitionSchema,
      requiredSchema,
      pushed,
      options,
      hadoopConf)
    val isSafe = SbbfConf.SafeRead.get(session.sessionState.conf)
    val unfiltered = reader(Nil)
    val filtered =
      if (isSafe) PrunedOrcFormat.orElse(reader(OrcPushdown.safe(filters)), unfiltered)
      else reader(filters)
    val readers = new Readers(filtered, asDeclared = filtered, safeColumns = filtered, unfiltered)
    val conf = BroadcastConfCache.of(session.sparkContext, hadoopConf)
    split => RowGroupRanges.read(split, readers, conf.value.value)
  }
}

private object PrunedOrcFormat {

  /**
   * Returns a reader that reads a split without filters if Spark cannot translate these for its
   * file, which stores a column as another type than the table. It translates them before it reads
   * a row.
   */
  def orElse(filtered: FileRead.Reader, unfiltered: FileRead.Reader): FileRead.Reader =
    split =>
      try filtered(split)
      catch { case _: IllegalArgumentException => unfiltered(split) }
}
