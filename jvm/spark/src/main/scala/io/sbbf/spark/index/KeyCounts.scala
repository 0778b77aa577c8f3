package io.sbbf.spark.index

import io.sbbf.core.predicate.KeyedColumn
import io.sbbf.parquet.hashes.{IndexableColumn, KeySource}
import io.sbbf.spark.table.{TableTasks, TaskFiles}

/** Estimates how many keys functions of columns have, from a row group of some files. */
private[index] final class KeyCounts(tasks: TableTasks, taskFiles: TaskFiles) {
  import KeyCounts._

  /**
   * Returns the files with the estimated number of keys of each function, in place of the number of
   * its values. Runs a job if there is a function.
   *
   * @param columns the names of the columns, in the order of the files' columns
   */
  def estimated(files: IndexedSeq[ReadFile], columns: Seq[String]): IndexedSeq[ReadFile] = {
    val functions = for {
      (name, column) <- columns.zipWithIndex
      function <- KeyedColumn.parse(name).toOption.flatMap(_.function)
    } yield column -> function
    functions.foldLeft(files) { case (counted, (column, function)) =>
      val ofRow = keysOfRow(counted.filter(f => isReadable(f.facts.columns(column)))) { file =>
        KeySource(file.facts.columns(column).leaf, Some(function))
      }
      counted.map(withCount(_, column, ofRow))
    }
  }

  private def isReadable(column: IndexableColumn): Boolean =
    column.leaf >= 0 && column.whyNot.isEmpty

  private def withCount(file: ReadFile, column: Int, ofRow: Double): ReadFile = {
    val known = file.facts.columns(column)
    val counts = file.facts.rowsOf.map(rows => math.ceil(ofRow * rows).toLong)
    file.copy(facts = file.facts.copy(columns =
      file.facts.columns.updated(column, known.copy(valuesOf = counts))))
  }

  /** Returns the distinct keys of a row group for each of its rows, 1 if none could be read. */
  private def keysOfRow(files: IndexedSeq[ReadFile])(source: ReadFile => KeySource): Double = {
    val readable = files.filter(_.facts.rowsOf.nonEmpty)
    val some = readable.indices.by(math.max(1, readable.size / MostFiles)).map(readable)
    val items = some.map(f => (taskFiles.serializable(f.status), source(f)))
    val counts = tasks.map(items, "number of keys") { case ((file, of), table) =>
      IndexJob.attempt(file.getPath.toString) {
        val keys = table.keysOf(file, checksVersion = false)
        try keys.hashesOf(0, of).length.toLong
        finally keys.close()
      }
    }
    val known = some.zip(counts).collect { case (f, Right(n)) => (n, f.facts.rowsOf.head) }
    // the sampled row groups may hold NULLs or short texts only
    if (known.isEmpty) 1.0
    else math.max(1.0, known.map(_._1).sum.toDouble / math.max(1L, known.map(_._2).sum))
  }
}

private object KeyCounts {

  /** Enough to see the difference between files. */
  private final val MostFiles = 16
}
