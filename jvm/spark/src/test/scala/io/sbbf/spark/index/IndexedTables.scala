package io.sbbf.spark.index

import java.io.File

import scala.util.Random

import io.sbbf.parquet.model.Evidence
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite

/**
 * Queries of tables of 20 files, with `key = xxhash64(id)`, `name = concat('user-', hash(id))` and
 * `real = id / 4`. They search an index, and are compared with those without pruning.
 */
abstract class IndexedTables extends SparkSuite {
  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  protected val random = new Random(TestFiles.seed())
  protected val Rows = 4000L
  protected val Files = 20

  /** Makes files look old enough that what was read of them is used. */
  protected def settle(path: String): Unit =
    new File(path).listFiles.foreach(_.setLastModified(1700000000000L))

  /** Moves the files of the table `from` into `table`, whose index does not know them. */
  protected def move(from: String, table: String): Unit = {
    new File(from).listFiles
      .filter(_.getName.endsWith(".parquet"))
      .foreach(f => f.renameTo(new File(table, s"next-${f.getName}")))
    settle(table)
  }

  /** Checks that each condition keeps that many files and opens no other one. */
  protected def lookUp(table: String, conditions: (String, Int)*): Unit = {
    val all = spark.read.parquet(table)
    for ((condition, files) <- conditions) {
      val query = all.where(condition)
      val found = pruning(query).get
      assert(found.keptFiles == files, condition)
      assert(found.filesOpened <= files, condition)
      assert(rows(query) == oracle(all.where(condition)), condition)
      if (files == 0) assert(found.refutedBy == Map(Evidence.Index -> Files.toLong), condition)
    }
  }

  /** @param another a condition on another column */
  protected def queryRandomly(table: String, queries: Int, hint: String)(
      another: => String): Unit = {
    val all = spark.read.parquet(table)
    def key = random.nextInt(3 * Rows.toInt)
    def leaf: String = random.nextInt(6) match {
      case 0 => s"key = xxhash64(${key}L)"
      case 1 => s"key IN (xxhash64(${key}L), xxhash64(${key}L), $key)"
      case 2 => s"name = concat('user-', hash(${key}L))"
      case 3 => s"real = $key / 4D"
      case 4 => another
      case 5 => s"key <=> xxhash64(${key}L)"
    }
    def condition(depth: Int): String = random.nextInt(if (depth == 0) 1 else 4) match {
      case 0 => leaf
      case 1 => s"(${condition(depth - 1)} AND ${condition(depth - 1)})"
      case 2 => s"(${condition(depth - 1)} OR ${condition(depth - 1)})"
      case 3 => s"NOT (${condition(depth - 1)})"
    }
    var pruned = 0
    for (n <- 0 until TestFiles.times(queries)) {
      val text = if (n == 0) "key = xxhash64(-1L)" else condition(2)
      val query = all.where(text).select("id")
      assert(rows(query) == oracle(all.where(text).select("id")), s"$hint: $text")
      if (pruning(query).exists(_.refutedBy.contains(Evidence.Index))) pruned += 1
    }
    info(s"$hint: $pruned queries searched the index")
    assert(pruned > 0)
  }
}
