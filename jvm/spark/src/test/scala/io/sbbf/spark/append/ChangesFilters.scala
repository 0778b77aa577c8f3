package io.sbbf.spark.append

import java.io.File
import java.nio.file.Files

import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.write.WrittenFiles

/** Adds filters to files with columns of every type. */
private[spark] trait ChangesFilters extends WrittenFiles { this: SparkSuite =>

  protected def change(to: String, options: (String, String)*): Seq[AddFiltersOutcome] =
    new AddFiltersJob(spark, FilterRequests.of(options.toMap + ("table" -> to))).run()

  protected def add(to: String, columns: String*)(
      options: (String, String)*): Seq[AddFiltersOutcome] =
    change(to, options ++ enable(columns: _*): _*)

  protected def drop(to: String, columns: String*): Seq[AddFiltersOutcome] =
    add(to, columns: _*)("drop" -> "true")

  protected def writeEvents(name: String, columns: String*): String = {
    val sizes = Map("parquet.block.size" -> "65536", "parquet.page.size" -> "4096")
    saved(name, events, enable(columns: _*) ++ sizes)
  }

  protected def bytes(file: File): Seq[Byte] = Files.readAllBytes(file.toPath).toSeq

  protected def only(folder: String): File = {
    val Seq(file) = filesIn(new File(folder))
    file
  }

  protected def names(folder: String): Set[String] = new File(folder).list.toSet

  protected def assertSameRows(folder: String)(change: => Unit): Unit = {
    val before = rows(spark.read.parquet(folder).drop("bytes"))
    change
    assert(rows(spark.read.parquet(folder).drop("bytes")) == before)
    assert(oracle(spark.read.parquet(folder).drop("bytes")) == before)
  }
}
