package io.sbbf.spark.toy

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.catalyst.plans.logical.Range
import org.apache.spark.sql.execution.RangeExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.functions.broadcast
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.late.PruneByLateKeys
import io.sbbf.spark.scan.{PointLookupStats, PruneRowGroups}
import io.sbbf.spark.testing.SparkSuite

class RangeScansSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private def withToy[T](body: => T): T = {
    spark.experimental.extraOptimizations = Seq(new PruneRowGroups(Seq(RangeScans)))
    try body
    finally spark.experimental.extraOptimizations = Nil
  }

  private def planned(query: Dataset[_]): Seq[(Long, Long)] =
    query.queryExecution.optimizedPlan.collect { case r: Range => (r.start, r.end) }

  test("a format of one package is pruned by the one rule.") {
    withToy {
      val query = spark.range(1000).where("id = 42").toDF()
      assert(planned(query) == Seq((42L, 43L)))
      assert(query.collect().map(_.toString).toSeq == Seq("[42]"))
      assert(planned(spark.range(0, 1000, 2).where("id = 42")) == Seq((0L, 1000L)))
      assert(planned(spark.range(1000).where("id % 2 = 42")) == Seq((0L, 1000L)))
    }
  }

  test("a scan of an unknown version is read as without pruning, and others are pruned.") {
    withToy {
      val unknown = spark.range(0, 999, 3).where("id = 42").toDF()
      assert(
        planned(unknown.union(spark.range(1000).where("id = 42").toDF())) ==
          Seq((0L, 999L), (42L, 43L)))
      val roots = Seq(new Path("/some/table"))
      assert(PointLookupStats.of(Seq(unknown.queryExecution), roots, Seq(RangeScans)).isEmpty)
    }
  }

  test("keys of a join prune a scan of any format of the list.") {
    val rule = new PruneByLateKeys(Seq(RangeScans))
    SparkInternals.changePhysicalRules(spark, identity, identity, _ :+ rule)
    val keys = spark.range(3).selectExpr("id * 100 AS id").repartition(1)
    val query = spark.range(1000).join(broadcast(keys), "id")
    assert(query.collect().length == 3)
    val scans = collect(query.queryExecution.executedPlan) { case range: RangeExec => range }
    assert(scans.map(_.end).contains(201L), scans)
  }
}
