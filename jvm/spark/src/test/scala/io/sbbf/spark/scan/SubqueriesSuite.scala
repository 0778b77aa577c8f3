package io.sbbf.spark.scan

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.logging.log4j.Level
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan

import io.sbbf.spark.SessionBridge
import io.sbbf.spark.testing.{Logged, SparkSuite}

/** Filters that compare with subqueries, and the report on filters that cannot prune. */
class SubqueriesSuite extends SparkSuite {

  private lazy val table: DataFrame = {
    val rows = spark
      .range(0, 4000, 1, 4)
      .selectExpr("id", "xxhash64(id) AS k", "CAST(id % 7 AS STRING) AS s")
    val target = saved("t", rows, filterOptions(Seq("k"), ndv = 1000, fpp = "0.0001"))
    spark.read.parquet(target).createOrReplaceTempView("t")
    spark.table("t")
  }

  private def keyOf(id: Long): Long = spark.sql(s"SELECT xxhash64(${id}L)").head().getLong(0)

  private def report(df: DataFrame): JsonNode =
    new ObjectMapper().readTree(new SessionBridge().explain(df.queryExecution))

  private def texts(node: JsonNode): Seq[String] =
    (0 until node.size).map(node.get(_).asText)

  private def rowsRead(query: => DataFrame): Long =
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val df = query
      df.collect()
      df.queryExecution.executedPlan.collectLeaves().head.metrics("numOutputRows").value
    }

  // the optimizer does not fold this subquery
  private val executed = "(SELECT max(x) FROM VALUES (42L) AS v(x))"

  test("a subquery that the optimizer folds prunes as a literal does.") {
    val one = table.where(s"k = (SELECT ${keyOf(1)}L)")
    assert(one.inputFiles.length == 1)
    assert(rows(one) == oracle(table.where(s"k = ${keyOf(1)}L")))
  }

  test("a subquery that runs later does not prune at plan time, and the report says so.") {
    val late = table.where(s"k = $executed")
    assert(late.inputFiles.length == 4)
    // planning can evaluate only IS NOT NULL, which Catalyst adds
    val planned = report(late).get("scans").get(0)
    assert(planned.get("predicate").asText == "k IS NOT NULL")
    assert(
      texts(planned.get("not_used")) ==
        Seq("a comparison with a subquery whose value is unknown at plan time"))
    assert(rows(late).isEmpty)
    val ran = report(late).get("scans").get(0)
    assert(ran.get("predicate").asText == "k = ?" && ran.get("files_kept").asInt == 0)
    assert(texts(ran.get("late_keys")) == Seq("1 result of a subquery"))
    assert(texts(ran.get("not_used")).isEmpty)
  }

  test("tasks still probe filters for a subquery's value that Spark pushes to them.") {
    val late = s"k = (SELECT max(x) FROM VALUES (${keyOf(2001)}) AS v(x)) AND s = '${2001 % 7}'"
    val sparkAlone = withConf("spark.sbbf.enabled" -> "false")(rowsRead(table.where(late)))
    // on Spark 4.0 a safe read probes no filter
    withConf("spark.sbbf.safeRead.enabled" -> "false") {
      assert(rowsRead(table.where(late)) == sparkAlone)
      // Spark 3.5 pushes no value of a subquery
      assert(sparkAlone < 4000 || org.apache.spark.SPARK_VERSION.startsWith("3."))
    }
    assert(rows(table.where(late)) == oracle(table.where(late)))
  }

  /**
   * Predicates on a table with keys `k` and a column `f` of negative zeros, whose rows Spark
   * alone loses to `f = 0.0`.
   */
  private val shapes = Seq(
    "k IN (SELECT k FROM s) AND f = 0.0D",
    "k NOT IN (SELECT k + 1000 FROM s) AND f = 0.0D",
    "(k IN (SELECT k FROM s) OR k < 0) AND f = 0.0D",
    "(k IN (SELECT k FROM s) AND f = 0.0D) OR (k < 0 AND f = 0.0D)",
    "(k, f) IN (SELECT k, f FROM s) AND f = 0.0D",
    "EXISTS (SELECT 1 FROM s WHERE s.k = z.k) AND f = 0.0D",
    "EXISTS (SELECT 1 FROM s WHERE s.k = z.k AND z.f = 0.0D)",
    "NOT EXISTS (SELECT 1 FROM s WHERE s.k = z.k AND z.f > 0.0D)",
    "k IN (SELECT k FROM s WHERE z.f = 0.0D)",
    "k = (SELECT max(s.k) FROM s WHERE s.k = z.k) AND f = 0.0D"
  )

  private lazy val zeros: Unit = {
    spark
      .range(0, 400, 1, 4)
      .selectExpr("id AS k", "id * -0.0D AS f", "id AS seq")
      .write
      .parquet(path("z"))
    spark.read.parquet(path("z")).createOrReplaceTempView("z")
    spark.range(0, 400, 1, 1).selectExpr("id AS k", "0.0D AS f").createOrReplaceTempView("s")
  }

  private def inEitherFormat(body: => Unit): Unit = {
    zeros
    for (isOurs <- Seq("true", "false"))
      withConf("spark.sbbf.rowGroupPruning.enabled" -> isOurs)(
        withClue(s"our format: $isOurs")(body))
  }

  for (shape <- shapes) {
    test(s"a query loses no row, and prunes all other files, where $shape.") {
      inEitherFormat {
        def query = spark.sql(s"SELECT * FROM z WHERE ($shape) AND seq = 7")
        val (found, messages) = Logged.during(Level.WARN)(rows(query))
        assert(found == oracle(query) && found.size == 1)
        assert(query.inputFiles.length == 1, query.queryExecution.optimizedPlan)
        assert(messages.isEmpty, messages)
      }
    }

    test(s"a query loses no row where its only condition is $shape.") {
      inEitherFormat {
        // a semi join keeps all columns or some
        for (columns <- Seq("*", "k", "count(*)", "seq + 1 AS next")) {
          def query = spark.sql(s"SELECT $columns FROM z WHERE $shape")
          val (found, messages) = Logged.during(Level.WARN)(rows(query))
          assert(found == oracle(query) && found != Seq("[0]"), columns)
          assert(found.nonEmpty && messages.isEmpty, messages)
        }
      }
    }
  }

  test("no row is lost where one scan selects the rows of another at run time.") {
    zeros
    val runtimeFilters = Seq(
      "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold" -> "0",
      "spark.sql.optimizer.runtime.bloomFilter.enabled" -> "true",
      "spark.sql.autoBroadcastJoinThreshold" -> "-1"
    )
    withConf(runtimeFilters: _*) {
      for (isOurs <- Seq("true", "false"))
        withConf("spark.sbbf.rowGroupPruning.enabled" -> isOurs) {
          def query = spark.sql(
            "SELECT s.* FROM s JOIN z ON s.k = z.k " +
              "WHERE EXISTS (SELECT 1 FROM s u WHERE u.k = z.k AND z.f = 0.0D)")
          assert(query.queryExecution.optimizedPlan.toString.contains("might_contain"))
          assert(rows(query) == oracle(query) && rows(query).size == 400, isOurs)
        }
    }
  }

  test("a table with an EXISTS condition still selects partitions at run time.") {
    spark
      .range(0, 400, 1, 4)
      .selectExpr("id AS v", "id % 4 AS part")
      .write
      .partitionBy("part")
      .parquet(path("parts"))
    spark.read.parquet(path("parts")).createOrReplaceTempView("parts")
    zeros
    def query = spark.sql(
      "SELECT p.v FROM parts p JOIN z ON p.part = z.k " +
        "WHERE EXISTS (SELECT 1 FROM s WHERE s.k = z.k AND z.seq = 3)")
    def choosing(plan: SparkPlan): Boolean = plan.toString.contains("dynamicpruning")
    val bySparkAlone =
      withConf("spark.sbbf.enabled" -> "false")(choosing(query.queryExecution.executedPlan))
    assert(choosing(query.queryExecution.executedPlan) && bySparkAlone)
    assert(rows(query) == oracle(query) && rows(query).size == 100)
  }

  test("comparisons with a subquery's text that is not UTF-8 lose no row.") {
    spark
      .range(0, 10, 1, 1)
      .selectExpr("CAST(X'FF41' AS STRING) AS t")
      .write
      .parquet(path("broken"))
    def table = spark.read.parquet(path("broken"))
    val executed = "(SELECT max(CAST(x AS STRING)) FROM VALUES (X'FF') AS v(x))"
    for (predicate <- Seq(s"startswith(t, $executed)", s"t > $executed")) inEitherFormat {
      assert(rows(table.where(predicate)) == oracle(table.where(predicate)), predicate)
      assert(rows(table.where(predicate)).size == 10, predicate)
    }
  }

  test("comparisons of structs lose no row.") {
    spark
      .range(0, 400, 1, 4)
      .selectExpr("id AS k", "named_struct('f', id * -0.0D) AS st", "id * -0.0D AS f")
      .write
      .parquet(path("structs"))
    def table = spark.read.parquet(path("structs"))
    for (predicate <- Seq(
        "st = named_struct('f', 0.0D)",
        "st <=> named_struct('f', 0.0D)",
        "st IN (named_struct('f', 0.0D), named_struct('f', 1.0D))",
        "named_struct('f', f, 'k', k) = named_struct('f', 0.0D, 'k', 7L)",
        "named_struct('f', f, 'k', k) IN (named_struct('f', 0.0D, 'k', 7L))"
      )) inEitherFormat {
      assert(rows(table.where(predicate)) == oracle(table.where(predicate)), predicate)
      assert(rows(table.where(predicate)).nonEmpty, predicate)
    }
  }

  test("a condition of EXISTS on the outer table alone prunes its files.") {
    zeros
    val query =
      spark.sql("SELECT k FROM z WHERE EXISTS (SELECT 1 FROM s WHERE s.k = z.k AND z.seq = 7)")
    assert(query.inputFiles.length == 1)
    assert(report(query).get("scans").get(0).get("files_kept").asInt == 1)
  }

  test("the report names the unused predicates, and no values.") {
    val mixed =
      table.where("k = 42 AND upper(s) = 'SECRET' AND s rlike 'secret' AND length(s) = id")
    val scan = report(mixed).get("scans").get(0)
    assert(
      texts(scan.get("not_used")) == Seq(
        "a function of the column: upper(s)",
        "unsupported expression: rlike(s)",
        "a function of the column: length(s)"))
    assert(!scan.toString.toLowerCase.contains("secret"))
    val nothing = report(table.where("upper(s) = 'SECRET'")).get("unpruned").get(0)
    assert(nothing.get("reason").asText.endsWith("; a function of the column: upper(s)"))
  }
}
