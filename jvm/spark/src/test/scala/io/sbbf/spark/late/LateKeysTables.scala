package io.sbbf.spark.late

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.testing.SparkSuite

/** Provides tables for joins, and reads what late keys did to the scans of a query. */
trait LateKeysTables extends SparkSuite with AdaptiveSparkPlanHelper {

  /** The number of files of the table `log`. */
  protected val Files = 8

  /**
   * The table `log` has 8 files of random keys. `few` has three rows of them. `none` has a row whose
   * `k` and `id` are in no file of `log`, and whose `i` is in one.
   */
  private lazy val tables: Unit = {
    val log = spark
      .range(0, 4000, 1, Files)
      .selectExpr(
        "id",
        "xxhash64(id) AS k",
        "CAST(xxhash64(id, 1) % 1000000007 AS INT) AS i",
        "concat('user-', xxhash64(id, 2)) AS s",
        "CAST(xxhash64(id, 3) AS DOUBLE) AS d",
        "DATE_ADD(DATE'2020-01-01', CAST(id AS INT)) AS day",
        "id % 7 AS m",
        "IF(id % 10 = 3, NULL, xxhash64(id, 4)) AS n",
        "CAST(xxhash64(id, 5) AS DECIMAL(20, 0)) AS dec"
      )
    val options =
      filterOptions(Seq("k", "i", "s", "d", "n", "dec"), ndv = 500, fpp = "0.0001")
    spark.read.parquet(saved("log", log, options)).createOrReplaceTempView("log")
    spark.read
      .parquet(saved("few", log.where("id IN (10, 20, 3900)").coalesce(1)))
      .createOrReplaceTempView("few")
    spark.read
      .parquet(
        saved("none", log.where("id = 10").selectExpr("-id AS id", "-k AS k", "i").coalesce(1)))
      .createOrReplaceTempView("none")
  }

  /** Returns a query on the tables. */
  protected def query(text: String): DataFrame = {
    tables
    spark.sql(text)
  }

  /** Returns the scans that ran, in the order of the plan. */
  protected def scans(df: DataFrame): Seq[FileSourceScanExec] =
    collectWithSubqueries(df.queryExecution.executedPlan) { case scan: FileSourceScanExec =>
      scan
    }

  /** Returns the scans of the table `log` that ran. */
  protected def logScans(df: DataFrame): Seq[FileSourceScanExec] =
    scans(df).filter(_.relation.location.rootPaths.head.getName == "log")

  /** Returns the numbers of files that the scans of the log listed when they ran. */
  protected def filesRead(df: DataFrame): Seq[Int] =
    logScans(df).map(_.metrics("numFiles").value.toInt)

  /** Returns the indexes that late keys narrowed. */
  protected def lateIndexes(df: DataFrame): Seq[PrunedFileIndex] =
    scans(df).map(_.relation.location).collect {
      case index: PrunedFileIndex if index.late.nonEmpty => index
    }

  /** Returns the number of keys of each scan that late keys narrowed. */
  protected def lateKeys(df: DataFrame): Seq[Int] = lateIndexes(df).map(_.late.map(_.number).sum)

  /** Returns why late keys did not prune the scans. */
  protected def reasons(df: DataFrame): Seq[String] = scans(df).flatMap(LateReasons.of)
}
