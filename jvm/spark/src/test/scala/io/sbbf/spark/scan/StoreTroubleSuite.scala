package io.sbbf.spark.scan

import java.io.InterruptedIOException

import scala.util.Try

import org.apache.hadoop.fs.{FileSystem, Path}

import io.sbbf.parquet.prune.FooterCache
import io.sbbf.spark.testing.{SparkSuite, TricklingFileSystem}

/** What a store refuses or loses is met where stock Spark meets it. */
class StoreTroubleSuite extends SparkSuite {

  private lazy val table: String = {
    val target = path("refused")
    spark.range(0, 3000, 1, 3).selectExpr("id", "xxhash64(id) AS k").write.parquet(target)
    spark.sparkContext.hadoopConfiguration.setClass(
      s"fs.${TricklingFileSystem.Scheme}.impl",
      classOf[TricklingFileSystem],
      classOf[FileSystem])
    s"${TricklingFileSystem.Scheme}://$target"
  }

  /** The rows, or what the query failed of in the end. */
  private def outcome(condition: String): Either[String, Seq[String]] =
    Try(
      rows(
        spark.read.schema("id bigint, k bigint").parquet(table).where(condition))).toEither.left
      .map(e => Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq.last.getClass.getName)

  private def refusing[T](part: String)(body: => T): T = {
    TricklingFileSystem.refuses = (p: Path) => p.getName.startsWith(part)
    FooterCache.shared.clear()
    try body
    finally TricklingFileSystem.refuses = (_: Path) => false
  }

  private def asStock(condition: String): Either[String, Seq[String]] = {
    val stock = withConf("spark.sbbf.enabled" -> "false")(outcome(condition))
    assert(outcome(condition) == stock, condition)
    stock
  }

  test("a file that may not be read fails in the task, as in stock Spark.") {
    val conditions = Seq("id = 5", "id = 2500", "k = 5")
    assert(conditions.map(asStock).forall(_.isRight))
    refusing("part-00001") {
      withConf("spark.sql.files.ignoreCorruptFiles" -> "false") {
        val df = spark.read.schema("id bigint, k bigint").parquet(table).where("id = 5")
        assert(df.queryExecution.executedPlan.toString.contains("1 files kept whole"))
        for (condition <- conditions)
          assert(asStock(condition).left.exists(_.endsWith("AccessControlException")))
      }
      withConf("spark.sql.files.ignoreCorruptFiles" -> "true") {
        // Spark 3.5 leaves such a file out, Spark 4 does not take it for corrupt
        (conditions :+ "id = 1500").foreach(asStock)
      }
    }
  }

  test("a query that is cancelled while it is planned is not planned on without pruning.") {
    FooterCache.shared.clear()
    val df = spark.read.schema("id bigint, k bigint").parquet(table).where("id = 5")
    TricklingFileSystem.isCancelled = true
    try intercept[InterruptedIOException](df.queryExecution.optimizedPlan)
    finally TricklingFileSystem.isCancelled = false
    assert(
      rows(spark.read.schema("id bigint, k bigint").parquet(table).where("id = 5")).size == 1)
  }
}
