package io.sbbf.spark.catalog

import com.fasterxml.jackson.databind.ObjectMapper

import io.sbbf.spark.session.{InjectedRules, SessionPruning}
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.SbbfConf

class SbbfCatalogSuite extends SparkSuite {

  private lazy val table: String = saved(
    "table",
    spark.range(0, 2000, 1, 4).selectExpr("xxhash64(id) AS k", "unhex(hex(id)) AS b", "id"),
    filterOptions(Seq("k", "b"), ndv = 500) + ("parquet.enable.dictionary" -> "false")
  )

  private lazy val key = spark.sql("SELECT xxhash64(7L)").head().getLong(0)

  private def listed(options: (String, String)*): Seq[String] =
    rows(spark.read.format("sbbf").options(options.toMap).load(table))

  test("the table of filters has the rows and the options of the data source.") {
    assert(rows(spark.sql(s"SELECT * FROM sbbf.filters.`$table`")) == listed())
    assert(listed().size == 8)
    val columns =
      spark.sql(
        s"SELECT row_group_id, file_name FROM sbbf.filters.`$table` WHERE path_in_schema = 'k'")
    assert(columns.count() == 4 && columns.columns.toSeq == Seq("row_group_id", "file_name"))
    val probed = spark.read.option("column", "k").option("value", key)
    val expected = listed("column" -> "k", "value" -> key.toString)
    assert(rows(probed.table(s"sbbf.filters.`$table`")) == expected)
    assert(expected.count(_.contains("might_match")) == 1)
  }

  Seq(
    Map("colum" -> "k") ->
      "format sbbf has no option 'colum'; its options are path, column, value, value_hex, keys, where",
    Map("value" -> "1") -> "needs the option column beside value",
    Map("column" -> "k", "value" -> "1", "value_hex" -> "07") -> "value and value_hex, not both",
    Map("column" -> "b", "value_hex" -> "7x") -> "the option value_hex is not hexadecimal"
  ).foreach { case (options, message) =>
    test(s"the options ${options.keys.mkString(", ")} are refused: $message.") {
      for (read <- Seq(
          () => spark.read.options(options).table(s"sbbf.filters.`$table`"),
          () => spark.read.format("sbbf").options(options).load(table))) {
        val error = intercept[IllegalArgumentException](read().collect())
        assert(error.getMessage.contains(message))
      }
    }
  }

  test("the data source needs a path.") {
    val error = intercept[IllegalArgumentException](spark.read.format("sbbf").load())
    assert(error.getMessage.contains("format sbbf needs a path: load(path)"))
  }

  test("a missing path is Spark's own error.") {
    val error = intercept[Exception](spark.sql("SELECT * FROM sbbf.filters.`/nowhere`").collect())
    assert(error.getMessage.contains("/nowhere"))
  }

  test("a report shows the effect of pruning on the query of a view.") {
    spark.read.parquet(table).where(s"k = $key").createOrReplaceTempView("lookup")
    val report = spark.sql("SELECT report FROM sbbf.reports.lookup").head().getString(0)
    val tree = new ObjectMapper().readTree(report)
    assert(tree.get("enabled").asBoolean && tree.get("scans").size == 1)
    assert(tree.get("scans").get(0).get("row_groups_kept").asInt == 1)
    assert(!report.contains(key.toString))
    val error = intercept[Exception](spark.sql("SELECT * FROM sbbf.reports.none").collect())
    assert(error.getMessage.contains("none"))
  }

  private def reportOn(view: String) =
    spark.sql(s"SELECT report FROM sbbf.reports.`$view`").head().getString(0)

  test(
    "a cached query is reported without its values, and stays cached when its view is dropped.") {
    val lookup = spark.read.parquet(table).where(s"k = $key").cache()
    lookup.count()
    lookup.createOrReplaceTempView("lookup_2")
    val report = reportOn("lookup_2")
    assert(report.contains("cached relation of k, b, id") && !report.contains(key.toString))
    spark.sql("DROP TABLE sbbf.reports.`lookup_2`")
    assert(
      lookup.storageLevel.useMemory && spark.catalog
        .listTables()
        .collect()
        .forall(_.name != "lookup_2"))
    lookup.unpersist()
  }

  test("a report shows whether pruning is on in the session.") {
    spark.read.parquet(table).where(s"k = $key").createOrReplaceTempView("off")
    def isOn = new ObjectMapper().readTree(reportOn("off")).get("enabled").asBoolean
    assert(isOn)
    withConf("spark.sbbf.enabled" -> "false")(assert(!isOn))
  }

  test("no plan shows the value of a probe.") {
    val options = Map("column" -> "k", "value" -> key.toString)
    for (probe <- Seq(
        spark.read.format("sbbf").options(options).load(table),
        spark.read.options(options).table(s"sbbf.filters.`$table`"))) {
      val shown = probe.queryExecution
      val plans = Seq(shown.analyzed, shown.optimizedPlan, shown.executedPlan)
      assert(plans.forall(plan => !plan.toString.contains(key.toString)), plans)
    }
  }

  test("the doctor has a row for every setting, and reading it runs no job.") {
    val findings = spark.sql("SELECT name, value FROM sbbf.session.doctor")
    assert(findings.queryExecution.executedPlan.toString.contains("LocalTableScan"))
    val found = findings.collect().map(row => row.getString(0) -> row.getString(1)).toMap
    assert(found("extension") == "active" && found("spark") == spark.version)
    assert(SbbfConf.all.forall(c => found.contains(c.key)))
  }

  test("naming the catalog in a session with the extension changes nothing.") {
    val session = spark.newSession()
    session.conf.set("spark.sbbf.enabled", "false")
    session.sql("SHOW NAMESPACES IN sbbf")
    // any query adds the last rule
    val last = InjectedRules.pruneLast(session).ruleName
    assert(session.experimental.extraOptimizations.map(_.ruleName).diff(Seq(last)).isEmpty)
    assert(session.conf.get("spark.sbbf.enabled") == "false")
  }

  test("a property of the namespace session switches pruning for that session alone.") {
    val (session, other) = (spark.newSession(), spark.newSession())
    def isOn = {
      val properties = session.sql("DESCRIBE NAMESPACE EXTENDED sbbf.session").collect().last
      properties.getString(1).contains("on")
    }
    for (state <- Seq("off", "on", "off", "on")) {
      session.sql(s"ALTER NAMESPACE sbbf.session SET PROPERTIES (pruning = '$state')")
      assert(isOn == (state == "on") && SessionPruning.isActive(session) == isOn)
      assert(SessionPruning.isActive(other))
    }
  }

  Seq(
    "SELECT * FROM sbbf.nothing.here" -> "nothing",
    "SELECT * FROM sbbf.session.nobody" -> "nobody",
    "SHOW TABLES IN sbbf.nothing" -> "nothing",
    "ALTER NAMESPACE sbbf.session SET PROPERTIES (pruning = 'maybe')" ->
      "pruning must be 'on' or 'off', not 'maybe'",
    "ALTER NAMESPACE sbbf.session SET PROPERTIES (other = 'on')" -> "only the property pruning",
    "ALTER NAMESPACE sbbf.filters SET PROPERTIES (pruning = 'on')" -> "only the property pruning",
    "CREATE NAMESPACE sbbf.more" -> "can only be read",
    "DROP NAMESPACE sbbf.filters" -> "can only be read",
    "DROP TABLE sbbf.session.doctor" -> "can only be read"
  ).foreach { case (statement, message) =>
    test(s"$statement is refused.") {
      assert(intercept[Exception](spark.sql(statement)).getMessage.contains(message))
    }
  }

  test("the catalog lists its namespaces and its fixed tables.") {
    def names(statement: String, column: String) =
      spark.sql(statement).select(column).collect().map(_.getString(0)).toSeq
    assert(
      names("SHOW NAMESPACES IN sbbf", "namespace") == Seq(
        "filters",
        "reports",
        "advice",
        "indexes",
        "session"))
    assert(names("SHOW NAMESPACES IN sbbf.filters", "namespace").isEmpty)
    assert(
      names("SHOW TABLES IN sbbf.session", "tableName").sorted == Seq("doctor", "last_report"))
    assert(names("SHOW TABLES IN sbbf.filters", "tableName").isEmpty)
  }
}
