package io.sbbf.spark.util

import java.io.File
import java.nio.file.Files

import scala.util.{Random, Try}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.datasources.InMemoryFileIndex

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite

/** Compares the listing without a session with the listing of Spark's file index. */
class TableFilesSuite extends SparkSuite {
  import TableFilesSuite._

  test("files of random folders are those that Spark's index lists.") {
    val random = new Random(TestFiles.seed())
    val tables = Seq.tabulate(Trees)(n => new File(folder, s"tree-$n"))
    tables.foreach(grow(_, random, depth = 0))
    val compared = for {
      table <- tables
      expected <- sparkFiles(table).toOption // Spark refuses folders with and without partitions
    } yield {
      val files = new TableFiles(table.getPath, spark.sessionState.newHadoopConf()).data
      assert(files.map(_.getPath.toString) == expected, s"in ${tree(table).mkString(", ")}")
      expected.nonEmpty
    }
    assert(compared.count(identity) > Trees / 10)
  }

  private def sparkFiles(table: File): Try[Seq[String]] = Try {
    val index = new InMemoryFileIndex(spark, Seq(new Path(table.getPath)), Map.empty, None)
    index.listFiles(Nil, Nil).flatMap(_.files.map(_.getPath.toString)).sorted
  }

  private def tree(at: File): Seq[String] =
    if (at.isFile) Seq(s"$at of ${at.length} bytes") else at.listFiles.toSeq.flatMap(tree)

  private def grow(at: File, random: Random, depth: Int): Unit = {
    at.mkdirs()
    for (name <- Names if random.nextInt(4) == 0)
      Files.write(new File(at, name).toPath, new Array[Byte](random.nextInt(2)))
    if (depth < 3)
      for (name <- Folders(depth) if random.nextInt(3) == 0)
        grow(new File(at, name), random, depth + 1)
  }
}

object TableFilesSuite {
  private val Trees = 300 / TestFiles.stride

  private val Names = Seq(
    "a.parquet",
    "b.parquet",
    ".c.parquet",
    "_d.parquet",
    "_e=1.parquet",
    "f._COPYING_",
    "_metadata",
    "_common_metadata",
    "_SUCCESS")

  private val Folders = Seq(
    Seq("p=1", "p=2", "_p=1", ".p=3", "folder", "_folder", ".folder"),
    Seq("q=1", "q=2", "folder", "_folder"),
    Seq("r=1", "_r", "folder"))
}
