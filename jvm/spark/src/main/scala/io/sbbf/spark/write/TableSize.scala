package io.sbbf.spark.write

import java.io.FileNotFoundException

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand

/**
 * An estimate of the row groups of a table.
 *
 * @param existing the row groups of its files, estimated from their number and bytes
 * @param added the row groups of the data to write, as far as its bytes are known
 */
private[spark] final case class TableSize(existing: Long, added: Long) {

  /**
   * Returns the row groups after a write. Each task counts as one file, although it writes more
   * files into several partitions.
   */
  def rowGroups(tasks: Int): Long = existing + math.max(tasks.toLong, added)
}

private[spark] object TableSize extends Logging {

  /**
   * Estimates the table that a command writes to. Files that the command may overwrite count,
   * unless it overwrites all of them.
   */
  def of(command: InsertIntoHadoopFsRelationCommand, conf: Configuration): TableSize =
    TableSize(
      existing(command, conf),
      estimated(1, command.query.stats.sizeInBytes.min(MostBytes).toLong))

  /** Estimates a folder that a stream writes to. The size of its next batches is unknown. */
  def of(folder: Path, conf: Configuration): TableSize = TableSize(existing(folder, conf), 0)

  private def existing(command: InsertIntoHadoopFsRelationCommand, conf: Configuration): Long =
    if (command.mode == SaveMode.Overwrite && command.partitionColumns.isEmpty) 0
    else existing(command.outputPath, conf)

  private def existing(folder: Path, conf: Configuration): Long =
    try {
      val files = folder.getFileSystem(conf).getContentSummary(folder)
      estimated(files.getFileCount, files.getLength)
    } catch {
      case _: FileNotFoundException => 0
      case NonFatal(e) => // an unknown size must not fail the write
        logWarning(
          s"The size of $folder is unknown, so an FPP of auto ignores its row groups: " +
            e.getClass.getName)
        0
    }

  /** Returns one row group for each file, or one for each 128 MiB if that is more. */
  def estimated(files: Long, bytes: Long): Long =
    math.max(files, bytes / ParquetWriter.DEFAULT_BLOCK_SIZE)

  /** Limits a query of unknown size, which reports an endless one: 10,000 row groups, 1.3 TB. */
  private val MostBytes = BigInt(10000L * ParquetWriter.DEFAULT_BLOCK_SIZE)
}
