package io.sbbf.spark.late

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sbbf.spark.report.PruneReport

/** What reports and plans say about late keys. */
class LateKeysReportSuite extends LateKeysTables {
  private val inner = "SELECT log.id FROM log JOIN few USING (k)"

  private def reported(text: String): JsonNode = {
    val df = query(text)
    rows(df)
    new ObjectMapper().readTree(PruneReport.of(df.queryExecution).json)
  }

  /** Returns the texts in a field of all scans of a query's report. */
  private def found(text: String, field: String): Seq[String] = {
    val scans = reported(text).get("scans")
    (0 until scans.size).map(scans.get).flatMap { scan =>
      (0 until scan.get(field).size).map(scan.get(field).get(_).asText)
    }
  }

  test("the plan names the keys by number and column.") {
    val df = query(inner)
    rows(df)
    assert(df.queryExecution.executedPlan.toString.contains("; by 3 keys of a join on k)"))
  }

  test("the report names the keys.") {
    assert(found(inner, "late_keys") == Seq("3 keys of a join on k"))
    assert(found(inner, "not_used").isEmpty)
  }

  test("the report names joins that keep rows without a match.") {
    assert(
      found("SELECT log.id FROM log LEFT JOIN few USING (k) WHERE log.id > 3", "not_used") ==
        Seq("a join of type LeftOuter keeps rows without a match"))
    assert(
      found("SELECT id FROM log WHERE (k IN (SELECT k FROM few) OR id < 9) AND m < 9", "not_used")
        .contains("a join of type ExistenceJoin keeps rows without a match"))
  }

  test("the report says that Spark has broadcast a side that keys could have pruned.") {
    val anti = "SELECT few.id FROM few LEFT ANTI JOIN log USING (k)"
    val reason = "Spark broadcasts this side, so it is read before the keys are known"
    assert(found(anti, "not_used").exists(_.contains(reason)))
  }

  test("a scan that keys leave no file of is reported, though its join is empty.") {
    assume(!spark.version.startsWith("3."), "Spark 3.5 forgets the stages of an empty join")
    val absent = "SELECT /*+ MERGE(none) */ log.id FROM none JOIN log USING (k)"
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
      val scans = reported(absent).get("scans")
      val kept = (0 until scans.size).map(scans.get(_).get("files_kept").asInt)
      assert(kept.contains(0))
    }
  }

  private def notUsed(text: String, settings: (String, String)*): Seq[String] =
    withConf(settings: _*)(found(text, "not_used").distinct)

  test("the report says that only adaptive execution uses keys.") {
    val reason = "keys of joins are not used: the query runs without adaptive execution"
    assert(notUsed(inner, "spark.sql.adaptive.enabled" -> "false") == Seq(reason))
    val shuffled = Seq("adaptive.enabled" -> "false", "autoBroadcastJoinThreshold" -> "-1")
    assert(
      notUsed(inner, shuffled.map { case (k, v) => s"spark.sql.$k" -> v }: _*) == Seq(reason))
  }

  test("the report says that a scan did not wait for a side that is not smaller.") {
    val selfJoin =
      "SELECT /*+ MERGE(b) */ a.id FROM log a JOIN log b USING (k) WHERE a.m < 9 AND b.m < 8"
    assert(
      notUsed(selfJoin) == Seq("a join on k: its other side is not known to be much smaller"))
  }

  test("the report says that a shuffle join keeps rows without a match.") {
    val outer = "SELECT log.id FROM log LEFT JOIN few USING (k) WHERE log.id > 3"
    assert(
      notUsed(outer, "spark.sql.autoBroadcastJoinThreshold" -> "-1") ==
        Seq("a join of type LeftOuter keeps rows without a match"))
  }

  test("a scan remembers that a join has too many keys.") {
    withConf("spark.sbbf.runtimePruning.maxKeys" -> "2") {
      val df = query("SELECT log.* FROM log JOIN few ON log.k = few.k")
      rows(df)
      assert(reasons(df) == Seq("a join has more than 2 keys"))
    }
  }

  test("a scan remembers that keys refute nothing.") {
    val df = query("SELECT log.id FROM log JOIN few ON log.m = few.m")
    rows(df)
    assert(reasons(df) == Seq("3 keys of a join on m: no benefit"))
  }

  test("a cached relation has no reason why the keys of its join did not prune it.") {
    val cached = spark.range(100).selectExpr("id AS k").cache()
    cached.createOrReplaceTempView("kept")
    try
      withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        val unpruned = reported("SELECT log.id FROM log JOIN kept USING (k)").get("unpruned")
        assert(unpruned.size == 1)
        assert(unpruned.get(0).get("reason").asText == "cached by the session")
      }
    finally cached.unpersist()
  }
}
