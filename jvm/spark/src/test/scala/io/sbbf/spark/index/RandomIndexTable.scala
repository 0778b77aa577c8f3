package io.sbbf.spark.index

import java.io.File
import java.nio.file.{Files, StandardCopyOption}

import scala.util.{Random, Try}

import org.apache.spark.sql.SparkSession

import io.sbbf.spark.index.RandomIndexTable._

/**
 * A table whose files were written in many ways over time: with several physical types of a column,
 * without some columns, in partitions that appear later. Parts of it are indexed.
 */
private[index] final class RandomIndexTable(
    spark: SparkSession,
    random: Random,
    val folder: File) {
  private var nextFile = 0
  private var time = 1600000000000L

  private val writers = RandomIndexWriter.all(spark.version)

  def files: Seq[File] = {
    val partitions = Option(folder.listFiles).toSeq.flatten.filter(_.getName.startsWith("part="))
    partitions.flatMap(_.listFiles).filter(_.getName.endsWith(".parquet"))
  }

  /** Writes files in each of the ways, and indexes some columns of some of them. */
  def begin(): Unit = {
    writers.foreach(append)
    indexSome(Columns.size)
    (0 until 2).foreach(_ => append(one(writers)))
    indexSome(3)
    (0 until 2).foreach(_ => append(one(writers)))
  }

  /** Changes the table or its index in some way. Returns what was done. */
  def change(): String = random.nextInt(9) match {
    case 0 | 1 if files.size < MostFiles =>
      val writer = one(writers)
      append(writer)
      s"append by ${writer.name}"
    case 2 | 3 =>
      val file = one(files)
      val writer = one(writers)
      write(writer).foreach(move(_, file))
      s"replace $file by ${writer.name}"
    case 0 | 1 | 4 if files.size > FewestFiles =>
      val file = one(files)
      file.delete()
      s"delete $file"
    case 5 =>
      indexSome(1 + random.nextInt(4))
      "index some columns"
    case 6 if random.nextInt(3) == 0 =>
      IndexCommand.drop(spark, folder.getPath)
      indexSome(Columns.size)
      "drop the index and create another one"
    case _ =>
      IndexCommand.run(spark, IndexRequest.refresh(folder.getPath))
      "refresh"
  }

  private def indexSome(number: Int): Unit = {
    val columns = random.shuffle(Columns).take(number)
    // no new file may have one of them, or have it in a type that can be indexed
    Try(
      IndexCommand
        .run(spark, IndexRequest.create(folder.getPath, columns))).failed
      .filter(!_.isInstanceOf[IllegalArgumentException])
      .foreach(e => throw e)
  }

  private def append(writer: RandomIndexWriter): Unit = {
    val partition = new File(folder, s"part=${random.nextInt(3 + nextFile / 4)}")
    partition.mkdirs()
    write(writer).foreach { file =>
      nextFile += 1
      move(file, new File(partition, s"$nextFile.parquet"))
    }
  }

  /** Writes some rows, which other files may have as well. Returns the file. */
  private def write(writer: RandomIndexWriter): Option[File] = {
    val rows = 40 + random.nextInt(80)
    val first = random.nextInt(Ids - rows)
    val temporary = new File(folder.getParentFile, s"temporary-${System.nanoTime}")
    writer.write(spark, first, rows, temporary)
    temporary.listFiles.find(_.getName.endsWith(".parquet"))
  }

  private def move(file: File, to: File): Unit = {
    time += 1000
    file.setLastModified(time)
    Files.move(file.toPath, to.toPath, StandardCopyOption.REPLACE_EXISTING)
    ()
  }

  private def one[T](of: Seq[T]): T = of(random.nextInt(of.size))
}

private[index] object RandomIndexTable {

  /** Rows have ids below. */
  final val Ids = 4000

  private final val FewestFiles = 6
  private final val MostFiles = 20

  /** The columns of the table and their values in the row of an id, for which `$` stands. */
  val Values: Seq[(String, String)] = Seq(
    "key" -> "IF($ % 23 = 0, NULL, cast(pmod(hash($), 1000000) AS bigint))",
    "name" -> ("CASE WHEN $ % 17 = 0 THEN NULL WHEN $ % 19 = 0 THEN '' " +
      "ELSE concat('name-', hash($)) END"),
    "real" -> ("CASE WHEN $ % 29 = 0 THEN NULL WHEN $ % 31 = 0 THEN double('NaN') " +
      "WHEN $ % 37 = 0 THEN -0.0D WHEN $ % 41 = 0 THEN 0.0D ELSE cast($ AS double) / 4 END"),
    "small" -> ("cast(CASE WHEN $ % 31 = 0 THEN float('NaN') WHEN $ % 37 = 0 THEN float('-0.0') " +
      "ELSE $ / 4 END AS float)"),
    "price" -> "cast(pmod(hash($, 1), 9000000) / 100 AS decimal(18, 2))",
    "day" -> "date_add(DATE'1970-01-01', pmod(hash($, 2), 400000) - 200000)",
    "time" -> "timestamp_millis(pmod(xxhash64($, 3), 40000000000L) * 1000 - 20000000000000L + $ % 1000)",
    "bytes" -> "cast(concat('b', $) AS binary)",
    "few" -> "cast($ % 13 AS int)",
    "tiny" -> "cast($ % 200 - 100 AS tinyint)",
    "inner" -> "IF($ % 11 = 0, NULL, named_struct('x', xxhash64($, 4), 's', concat('s-', $)))",
    "tags" -> ("CASE WHEN $ % 11 = 0 THEN NULL WHEN $ % 12 = 0 THEN array() " +
      "ELSE array(concat('tag-', $), IF($ % 5 = 0, NULL, ''), concat('tag-', $ + 1)) END"),
    "map" -> "IF($ % 14 = 0, NULL, map(concat('m-', $), cast($ AS int)))",
    "more" -> "xxhash64($, 5)"
  )

  /** The schema with which the table is read. */
  final val Schema = "id bigint, key bigint, name string, real double, small float, " +
    "price decimal(18,2), day date, time timestamp, bytes binary, few int, tiny tinyint, " +
    "inner struct<x: bigint, s: string>, tags array<string>, map map<string, int>, " +
    "more bigint, part int"

  /** The columns that may be indexed. */
  val Columns: Seq[String] = Seq(
    "key",
    "name",
    "real",
    "small",
    "price",
    "day",
    "time",
    "bytes",
    "few",
    "tiny",
    "inner.x",
    "inner.s",
    "tags.list.element",
    "map.key_value.key",
    "map.key_value.value",
    "more",
    "lower(name)",
    "tokens(name)",
    "ngrams(name, 6)",
    "tokens(inner.s)",
    "ngrams(tags.list.element, 5)"
  )

  def value(column: String, id: String): String =
    Values.find(_._1 == column).get._2.replace("$", id)
}
