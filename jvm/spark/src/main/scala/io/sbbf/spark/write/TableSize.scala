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
 * How many row groups a table has, about.
 *
 * @param existing told by its files and bytes
 * @param added by what is written to it, as far as the bytes tell
 */
private[spark] final case class TableSize(existing: Long, added: Long) {

  /** With what so many tasks write: a file each, unless they write into several partitions. */
  def rowGroups(tasks: Int): Long = existing + math.max(tasks.toLong, added)
}

private[spark] object TableSize extends Logging {

  /** What the command may overwrite counts, unless that is everything. */
  def of(command: InsertIntoHadoopFsRelationCommand, conf: Configuration): TableSize =
    TableSize(
      existing(command, conf),
      estimated(1, command.query.stats.sizeInBytes.min(MostBytes).toLong))

  /** Of a folder to which tasks write whatever a stream brings them. */
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
      case NonFatal(e) => // what a table holds is no reason not to write to it
        logWarning(
          s"The size of the table is not known, for an FPP of auto: ${e.getClass.getName}")
        0
    }

  /** One for each file, or one for each 128 MiB where that is more. */
  def estimated(files: Long, bytes: Long): Long =
    math.max(files, bytes / ParquetWriter.DEFAULT_BLOCK_SIZE)

  /** A query of unknown size says that it is endless: 10,000 row groups, 1.3 TB. */
  private val MostBytes = BigInt(10000L * ParquetWriter.DEFAULT_BLOCK_SIZE)
}
