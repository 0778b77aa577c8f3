package io.sbbf.spark.physical

import scala.concurrent.duration.DurationInt

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.ui.SparkPlanGraphNode
import org.apache.spark.sql.sbbf.SparkInternals
import org.scalatest.concurrent.Eventually.{eventually, interval, timeout}

import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.late.PruneByLateKeys
import io.sbbf.spark.session.{GuardedColumnarRule, SessionPruning}
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.SbbfConf

class AddPruningMetricsSuite extends SparkSuite {
  private val Files = 6

  private lazy val tables: Unit = {
    val log = spark
      .range(0, 3000, 1, Files)
      .selectExpr("id AS seq", "xxhash64(id) AS k", "id % 4 AS day", "id % 3 AS few")
    def write(name: String, parts: Seq[String], buckets: Int): Unit = {
      val plain = log.write
        .option("parquet.block.row.count.limit", "100")
        .option("parquet.block.size", "4096")
        .option("parquet.page.row.count.limit", "100")
        .options(filterOptions(Seq("k"), ndv = 500, fpp = "0.0001"))
      val split = if (parts.isEmpty) plain else plain.partitionBy(parts: _*)
      (if (buckets == 0) split else split.bucketBy(buckets, "k")).saveAsTable(name)
    }
    write("log", Nil, 0)
    write("days", Seq("day"), 0)
    write("buckets", Nil, 4)
  }

  private val Key = "xxhash64(1234L)"

  /**
   * Returns the nodes of the plan in the SQL tab, each with the pruning metrics that it shows.
   */
  private def shown(query: DataFrame): Seq[(SparkPlanGraphNode, Map[String, String])] = {
    val store = spark.sharedState.statusStore
    val before = store.executionsList().map(_.executionId).toSet
    query.collect()
    eventually(timeout(20.seconds), interval(20.millis)) {
      val run = store.executionsList().filterNot(e => before(e.executionId))
      assert(run.size == 1 && run.head.completionTime.isDefined)
      val values = store.executionMetrics(run.head.executionId)
      assert(store.execution(run.head.executionId).get.metricValues != null)
      store.planGraph(run.head.executionId).allNodes.toSeq.map { node =>
        val ours = node.metrics.filter(_.name.startsWith("sbbf: "))
        node -> ours.map(m => m.name.drop(6) -> values.getOrElse(m.accumulatorId, "")).toMap
      }
    }
  }

  /** Returns the numbers that a node should show. */
  private def expected(s: ScanPruning): Map[String, Long] = Map(
    "files kept" -> s.keptFiles.toLong,
    "files skipped" -> (s.numFiles - s.keptFiles).toLong,
    "row groups kept" -> s.keptRowGroups,
    "row groups skipped" -> (s.rowGroups - s.keptRowGroups),
    "files read by tasks to decide" -> s.tasks.files.toLong
  ) ++ Seq("null_count", "min_max", "dictionary", "bloom", "index").map { name =>
    s"row groups skipped by $name" -> s.refutedBy
      .collectFirst {
        case (e, n) if e.name == name => n
      }
      .getOrElse(0L)
  }

  private def numbers(metrics: Map[String, String]): Map[String, Long] =
    metrics.filterNot(m => Measures(m._1) || OfTasks(m._1)).map { case (k, v) =>
      k -> v.replace(",", "").toLong
    }
  private val OfTasks =
    Set("rows skipped in pages", "pages read", "pages skipped", "bytes of skipped pages")
  private val Measures = Set("bytes read to decide", "time to decide")

  private val queries = Seq(
    "a point lookup" -> s"SELECT * FROM log WHERE k = $Key",
    "a lookup of an absent key" -> "SELECT * FROM log WHERE k = 5",
    "min/max" -> "SELECT * FROM log WHERE seq < 300",
    "an aggregate" -> s"SELECT few, count(*) FROM log WHERE k = $Key GROUP BY few",
    "a partitioned table" -> s"SELECT * FROM days WHERE day = 2 AND k = $Key",
    "a bucketed table" -> s"SELECT * FROM buckets WHERE k = $Key",
    "a join" -> s"SELECT a.seq FROM log a JOIN log b ON a.few = b.few WHERE a.k = $Key AND b.seq = 7",
    "dynamic partition pruning" ->
      s"SELECT a.seq FROM days a JOIN days b ON a.day = b.day WHERE b.k = $Key AND a.seq < 300",
    "a subquery" -> s"SELECT (SELECT max(seq) FROM log WHERE k = $Key) FROM range(1)",
    "the value of a subquery" ->
      s"SELECT * FROM log WHERE k = (SELECT max(k) FROM days WHERE k = $Key) AND seq >= 500"
  )

  for {
    adaptive <- Seq("true", "false")
    trim <- Seq("true", "false")
    (name, query) <- queries
  } test(s"the SQL tab shows the numbers of explain: $name, adaptive $adaptive, trim $trim.") {
    tables
    withConf(
      "spark.sql.adaptive.enabled" -> adaptive,
      "spark.sbbf.rowGroupPruning.enabled" -> trim) {
      FooterCache.shared.clear()
      val df = spark.sql(query)
      val scans = shown(df).collect { case (_, metrics) if metrics.nonEmpty => metrics }
      val found = prunings(df)
      assert(found.nonEmpty && scans.map(numbers).toSet == found.map(expected).toSet)
      assert(found.exists(s => s.keptRowGroups < s.rowGroups))
      assert(scans.exists(_("bytes read to decide").matches("[1-9].* (KiB|B|MiB)")))
      assert(scans.forall(_("time to decide").matches("[\\d.,]+ m?s")))
    }
  }

  test("unpruned scans and other nodes show no pruning metrics.") {
    tables
    val all =
      shown(spark.sql(s"SELECT a.seq FROM log a JOIN days b USING (seq) WHERE a.k = $Key"))
    assert(
      all
        .collect { case (node, ours) if ours.nonEmpty => node.name }
        .forall(_.startsWith("Scan parquet")))
    assert(shown(spark.table("log")).forall(_._2.isEmpty))
    withConf(SbbfConf.Enabled.key -> "false") {
      assert(shown(spark.sql(s"SELECT * FROM log WHERE k = $Key")).forall(_._2.isEmpty))
    }
  }

  test("without the format swap, plans have the nodes that native engines look for.") {
    tables
    withConf(
      "spark.sbbf.rowGroupPruning.enabled" -> "false",
      "spark.sql.adaptive.enabled" -> "false") {
      val query = s"SELECT seq FROM log WHERE k = $Key"
      val plan = spark.sql(query).queryExecution.executedPlan
      val unpruned = withConf(SbbfConf.Enabled.key -> "false") {
        spark.sql(query).queryExecution.executedPlan
      }
      assert(plan.map(_.getClass.getName) == unpruned.map(_.getClass.getName))
      val formats = spark.sql(query).queryExecution.optimizedPlan.collect {
        case r: LogicalRelation => r.relation.asInstanceOf[HadoopFsRelation].fileFormat.getClass
      }
      assert(formats == Seq(classOf[ParquetFileFormat]))
    }
  }

  test("a running session gains and loses the rules; those of the extension stay.") {
    val state = spark.sessionState
    val holder = state.adaptiveRulesHolder
    def rules =
      (state.columnarRules, holder.queryStagePrepRules, holder.queryStageOptimizerRules)
    def ours =
      (
        rules._1.count(_.isInstanceOf[GuardedColumnarRule]),
        rules._2.count(_.ruleName == AddPruningMetrics.ruleName),
        rules._3.count(_.ruleName == classOf[PruneByLateKeys].getName))
    val before = rules
    SessionPruning.removePhysicalRules(spark)
    try {
      assert(ours == ((0, 0, 0)))
      assert(shown(spark.sql(s"SELECT * FROM log WHERE k = $Key")).forall(_._2.isEmpty))
      SessionPruning.addPhysicalRules(spark)
      assert(ours == ((1, 1, 1)))
      assert(shown(spark.sql(s"SELECT * FROM log WHERE k = $Key")).exists(_._2.nonEmpty))
      assert(!spark.newSession().sessionState.columnarRules.eq(state.columnarRules))
    } finally
      SparkInternals.changePhysicalRules(spark, _ => before._1, _ => before._2, _ => before._3)
    SessionPruning.disable(spark)
    SessionPruning.enable(spark)
    assert(rules == before)
  }
}
