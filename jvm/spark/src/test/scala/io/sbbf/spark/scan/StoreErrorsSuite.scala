package io.sbbf.spark.scan

import java.io.InterruptedIOException

import scala.util.Try

import org.apache.hadoop.fs.Path

import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.testing.Faults
import io.sbbf.spark.testing.SparkSuite

/** Checks that queries meet the errors of a store where Spark alone meets them. */
class StoreErrorsSuite extends SparkSuite {

  private lazy val table: String = {
    saved("refused", spark.range(0, 3000, 1, 3).selectExpr("id", "xxhash64(id) AS k"))
    faulty("refused")
  }

  /** Returns the rows, or the class of the root cause. */
  private def outcome(condition: String): Either[String, Seq[String]] =
    Try(
      rows(
        spark.read.schema("id bigint, k bigint").parquet(table).where(condition))).toEither.left
      .map(e => Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq.last.getClass.getName)

  private def refusing[T](part: String)(body: => T): T = {
    FooterCache.shared.clear()
    Faults.during(new Faults { refuses = (p: Path) => p.getName.startsWith(part) })(body)
  }

  private def asSparkAlone(condition: String): Either[String, Seq[String]] = {
    val expected = withConf("spark.sbbf.enabled" -> "false")(outcome(condition))
    assert(outcome(condition) == expected, condition)
    expected
  }

  test("a file without read access fails in the task, as in Spark alone.") {
    val conditions = Seq("id = 5", "id = 2500", "k = 5")
    assert(conditions.map(asSparkAlone).forall(_.isRight))
    refusing("part-00001") {
      withConf("spark.sql.files.ignoreCorruptFiles" -> "false") {
        val df = spark.read.schema("id bigint, k bigint").parquet(table).where("id = 5")
        assert(df.queryExecution.executedPlan.toString.contains("1 files kept whole"))
        for (condition <- conditions)
          assert(asSparkAlone(condition).left.exists(_.endsWith("AccessControlException")))
      }
      withConf("spark.sql.files.ignoreCorruptFiles" -> "true") {
        // Spark 3.5 skips such a file; Spark 4 does not consider it corrupt
        (conditions :+ "id = 1500").foreach(asSparkAlone)
      }
    }
  }

  test("a query that is cancelled during planning is not planned without pruning instead.") {
    FooterCache.shared.clear()
    val df = spark.read.schema("id bigint, k bigint").parquet(table).where("id = 5")
    Faults.during(new Faults { isCancelled = true })(
      intercept[InterruptedIOException](df.queryExecution.optimizedPlan))
    assert(
      rows(spark.read.schema("id bigint, k bigint").parquet(table).where("id = 5")).size == 1)
  }
}
