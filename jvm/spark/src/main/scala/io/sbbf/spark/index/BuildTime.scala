package io.sbbf.spark.index

import io.sbbf.parquet.hashes.KeySource
import io.sbbf.spark.table.{TableTasks, TaskFiles}

/**
 * Estimates how long a build takes, from a row group of some of its files.
 *
 * @param cores the number of tasks that run at once
 */
private[index] final class BuildTime(tasks: TableTasks, taskFiles: TaskFiles, cores: Int) {
  import BuildTime._

  /**
   * Returns seconds.
   *
   * @param files the files to read
   * @param columns where the keys to read come from, by the position of the file
   * @param entries the number of pairs of a key and a row group
   */
  def seconds(
      files: IndexedSeq[ReadFile],
      columns: Int => Seq[KeySource],
      entries: Long): Double = {
    val readable = files.indices.filter(files(_).facts.rowsOf.nonEmpty)
    val step = math.max(1, readable.size / (FilesOfCore * cores))
    val some = readable.indices.by(step).map(readable)
    val items = some.map(n => (taskFiles.serializable(files(n).status), columns(n)))
    val nanos = tasks.map(items, "sample of keys") { case ((file, sources), table) =>
      IndexJob.attempt(file.getPath.toString) {
        val keys = table.keysOf(file, checksVersion = false)
        try {
          val started = System.nanoTime
          sources.foreach(keys.hashesOf(0, _))
          System.nanoTime - started
        } finally keys.close()
      }
    }
    val (rows, spent) = some
      .zip(nanos)
      .collect { case (n, Right(time)) =>
        (files(n).facts.rowsOf.head, time)
      }
      .unzip
    val ofRow = spent.sum.toDouble / math.max(1L, rows.sum)
    (ofRow * files.map(_.facts.rowsOf.sum).sum + NanosOfEntry * entries) / cores / 1e9
  }
}

private object BuildTime {

  /** Enough to see the difference between files. */
  private final val FilesOfCore = 4

  /** What sorting and writing an entry takes, about. */
  private final val NanosOfEntry = 150.0
}
