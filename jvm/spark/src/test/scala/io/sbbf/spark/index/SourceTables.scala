package io.sbbf.spark.index

import java.io.File
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import org.apache.spark.sql.DataFrame

import io.sbbf.spark.testing.SparkSuite

/** Tables of formats without row groups, whose indexes rule out whole files. */
abstract class SourceTables extends SparkSuite {
  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  protected def index(table: String, columns: String*): IndexOutcome =
    IndexCommand.run(spark, IndexRequest.create(table, columns))

  /** Writes a file of lines that looks old enough to be indexed at once. */
  protected def lines(table: String, file: String, all: String*): File = {
    val made = new File(path(table), file)
    made.getParentFile.mkdirs()
    Files.write(made.toPath, (all.mkString("\n") + "\n").getBytes(UTF_8))
    settle(made)
    made
  }

  protected def settle(file: File): Unit =
    if (file.isDirectory) file.listFiles.foreach(settle)
    else {
      file.setLastModified(1700000000000L)
      ()
    }

  /** Returns the files that a query keeps; all of them if no scan is pruned. */
  protected def keptFiles(query: DataFrame): Int = {
    val found = pruning(query)
    found.fold(query.inputFiles.length)(_.keptFiles)
  }

  protected def assertSameRows(query: => DataFrame, hint: String): Unit =
    assert(rows(query) == oracle(query), hint)
}
