package io.sbbf.spark.testing

import java.io.File
import java.nio.file.Files

import org.apache.spark.SparkConf
import org.apache.spark.sql.catalyst.plans.logical.LeafNode
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.parquet.testing.FaultyFileSystem
import io.sbbf.spark.SbbfExtensions
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.late.LateScans
import io.sbbf.spark.scan.ScanFormat

/** Provides a local session with the extension, and a folder that is deleted after the suite. */
abstract class SparkSuite extends AnyFunSuite with BeforeAndAfterAll {

  /** The additional settings of the suite's session. */
  protected def settings: Map[String, String] = Map.empty

  protected lazy val folder: File = Files.createTempDirectory("sbbf").toFile

  protected lazy val spark: SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .appName(suiteName)
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.warehouse.dir", new File(folder, "warehouse").getPath)
    .config("spark.sql.extensions", classOf[SbbfExtensions].getName)
    .config("spark.hadoop.fs.faulty.impl", classOf[FaultyFileSystem].getName)
    .config(new SparkConf(false).setAll(settings))
    .getOrCreate()

  override protected def afterAll(): Unit = {
    spark.stop()
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    FooterCache.shared.clear()
    delete(folder)
    super.afterAll()
  }

  protected def path(name: String): String = new File(folder, name).getPath

  /** Returns the same path on the file system whose faults a suite chooses. */
  protected def faulty(name: String): String = s"faulty://${path(name)}"

  /** Writes rows to Parquet files. Returns their path. */
  protected def saved(
      name: String,
      rows: DataFrame,
      options: Map[String, String] = Map.empty): String = {
    rows.write.options(options).parquet(path(name))
    path(name)
  }

  /** Returns the options that request filters. */
  protected def enable(columns: String*): Map[String, String] =
    columns.map(column => s"parquet.bloom.filter.enabled#$column" -> "true").toMap

  /** Returns the options that write filters of this size, and no dictionaries. */
  protected def filterOptions(
      columns: Seq[String],
      ndv: Int,
      fpp: String = "0.01"): Map[String, String] =
    enable(columns: _*) ++ columns.flatMap { column =>
      Seq(
        s"parquet.bloom.filter.expected.ndv#$column" -> ndv.toString,
        s"parquet.bloom.filter.fpp#$column" -> fpp,
        s"parquet.enable.dictionary#$column" -> "false")
    }

  protected def withConf[T](entries: (String, String)*)(body: => T): T = {
    val before = entries.map { case (key, _) => key -> spark.conf.getOption(key) }
    entries.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally
      before.foreach {
        case (key, Some(value)) => spark.conf.set(key, value)
        case (key, None) => spark.conf.unset(key)
      }
  }

  /**
   * Returns what pruning did to each pruned scan of a query and of its subqueries, with the keys
   * that were found if the query has run.
   */
  protected def prunings(query: DataFrame): Seq[ScanPruning] = {
    val late = new LateScans(query.queryExecution)
    query.queryExecution.optimizedPlan.collectWithSubqueries { case leaf: LeafNode =>
      ScanFormat
        .scanOf(Formats.all, leaf, spark.sessionState.conf)
        .flatMap(_.outcome(late.reading(leaf.outputSet)))
        .map(_.selection)
    }.flatten
  }

  /** Returns what pruning did to the first scan; None if no scan is pruned. */
  protected def pruning(query: DataFrame): Option[ScanPruning] = prunings(query).headOption

  /** Returns the rows of the oracle: Spark without the extension and without pushdown. */
  protected def oracle(query: => DataFrame): Seq[String] =
    withConf("spark.sbbf.enabled" -> "false", "spark.sql.parquet.filterPushdown" -> "false")(
      rows(query))

  protected def rows(query: => DataFrame): Seq[String] =
    query.collect().map(_.toString).sorted.toSeq

  private def delete(file: File): Unit = {
    Option(file.listFiles).foreach(_.foreach(delete))
    file.delete()
  }
}

object SparkSuite {

  /** Settings for many small queries: compiling each takes longer than interpreting it. */
  val Interpreted: Map[String, String] = Map(
    "spark.sql.codegen.wholeStage" -> "false",
    "spark.sql.codegen.factoryMode" -> "NO_CODEGEN")
}
