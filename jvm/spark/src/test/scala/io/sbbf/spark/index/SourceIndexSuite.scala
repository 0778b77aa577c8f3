package io.sbbf.spark.index

import java.io.File

import org.apache.spark.sql.functions.broadcast

import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.parquet.model.Evidence

/** Builds indexes of ORC, JSON, CSV and text, and checks which files lookups keep. */
class SourceIndexSuite extends SourceTables {
  private val Rows = 1000L
  private val FilesOfTable = 10

  private val Schema =
    """id BIGINT, name STRING, n INT, s SMALLINT, b TINYINT, day DATE, at TIMESTAMP,
      |local TIMESTAMP_NTZ, price DECIMAL(7, 2), cents DECIMAL(15, 4), big DECIMAL(30, 3)""".stripMargin

  private def data = spark
    .range(0, Rows, 1, FilesOfTable)
    .selectExpr(
      "id",
      "IF(id % 7 = 0, NULL, concat('Nämé ', id)) AS name",
      "cast(id * 3 AS int) AS n",
      "cast(id AS smallint) AS s",
      "cast(id DIV 100 AS tinyint) AS b",
      "date_add(DATE'1970-01-01', cast(id AS int) - 150000) AS day",
      "timestamp_micros(id * 1003000 - 40000000000000) AS at",
      "cast(timestamp_micros(id * 1003000) AS timestamp_ntz) AS local",
      "cast(id AS decimal(7, 2)) / 4 AS price",
      "cast(id AS decimal(15, 4)) - 500 AS cents",
      "cast(id AS decimal(30, 3)) * 1000000000000000 - 7 AS big"
    )

  /** Texts may hold times without a date. */
  private def columns(format: String) =
    Seq("id", "name", "n", "s", "b", "day", "local", "price", "cents", "big") ++
      (if (format == "orc") Seq("at") else Nil)

  /** Creates a table with an index of all columns. */
  private def table(format: String): String = {
    val name = s"typed_$format"
    data.write.format(format).option("header", "true").save(path(name))
    settle(new File(path(name)))
    spark.sql(
      s"CREATE TABLE $name ($Schema) USING $format OPTIONS (header 'true') LOCATION '${path(name)}'")
    val outcome = index(name, columns(format): _*)
    assert(outcome.files == FilesOfTable && outcome.rowGroups == FilesOfTable, outcome.reason)
    assert(outcome.skipped == 0)
    name
  }

  for (format <- Seq("csv", "json", "orc"))
    test(s"lookups in $format files keep only the files of their keys, whatever the type") {
      val name = table(format)
      // condition; files kept
      for ((condition, files) <- Seq(
          "id = 123" -> 1,
          "id = 123456" -> 0,
          "id IN (1, 2, 999)" -> 2,
          "id <=> 555" -> 1,
          "123 = id" -> 1,
          "name = 'Nämé 500'" -> 1,
          "name = 'Nämé 7'" -> 0,
          "name = 'nämé 500'" -> 0,
          "n = 300" -> 1,
          "n = 301" -> 0,
          "s = 77S" -> 1,
          "b = 3Y" -> 1,
          "day = DATE'1559-04-24'" -> 0,
          "day = date_add(DATE'1970-01-01', 321 - 150000)" -> 1,
          "at = timestamp_micros(321 * 1003000 - 40000000000000)" -> 1,
          "at = timestamp_micros(321 * 1003000 - 40000000000001)" -> 0,
          "local = cast(timestamp_micros(321 * 1003000) AS timestamp_ntz)" -> 1,
          "price = 20.25" -> 1,
          "price = 20.26" -> 0,
          "cents = -400" -> 1,
          "big = -7" -> 1,
          "big = 998999999999999993" -> 1,
          "big = 999999999999999993" -> 0,
          "id = 5 AND n = 999" -> 0,
          "id = 5 OR n = 999" -> 2,
          "id = 5 AND length(name) > 2" -> 1,
          "(id = 5 OR id = 700) AND b = 7Y" -> 1
        ) if format == "orc" || !condition.startsWith("at ")) {
        val query = spark.sql(s"SELECT * FROM $name WHERE $condition")
        val found = pruning(query).get
        if (format == "orc") assert(found.keptFiles <= files, condition)
        else {
          assert(found.keptFiles == files, condition)
          assert(
            found.refutedBy == Map(Evidence.Index -> (FilesOfTable - files.toLong)),
            condition)
        }
        assert(found.isIndexed)
        assertSameRows(spark.sql(s"SELECT * FROM $name WHERE $condition"), condition)
      }
      // what an index does not decide
      for (condition <- Seq(
          "name IS NULL",
          "at = timestamp_micros(321 * 1003000 - 40000000000000)",
          "id > 990",
          "NOT id = 3",
          "upper(name) = 'X'",
          "id = 5 OR n > 0"))
        assertSameRows(spark.sql(s"SELECT id, name FROM $name WHERE $condition"), condition)
    }

  test("an absent key in CSV files runs no task, and what is left has no known number of rows") {
    val name = "typed_csv"
    assert(spark.table(name).where("id = -1").rdd.getNumPartitions == 0)
    assert(pruning(spark.table(name).where("id = 5")).get.rows.isEmpty)
    val text = pruning(spark.table(name).where("id = 5")).get.summary
    assert(
      text.contains("kept 1 of 10 row groups in 1 of 10 files") && text.contains(
        "index: 1 segment"))
  }

  test("keys of a join search the index of JSON files") {
    val keys = spark.range(1).selectExpr("explode(array(5L, 207L)) AS id").where("id % 2 = 1")
    val query =
      spark.table("typed_json").where("n >= 0").join(broadcast(keys), "id").select("id", "name")
    assert(rows(query) == oracle(query))
    query.collect()
    assert(prunings(query).map(_.keptFiles) == Seq(2))
  }

  test("index_info, refresh and drop know the index") {
    val info = IndexCommand.info(spark, "typed_csv")
    assert(
      info.map(_.getString(0)) == columns("csv") && info.forall(r => r.getInt(1) == r.getInt(2)))
    assert(IndexCommand.run(spark, IndexRequest.refresh("typed_csv")).files == 0)
    val header = spark.table("typed_csv").columns.mkString(",")
    lines("typed_csv", "more.csv", header, "7000,x,1,1,1,2020-01-01,,,1,1,1")
    spark.catalog.refreshTable("typed_csv")
    def query = spark.table("typed_csv").where("id = 7000").select("id")
    assert(keptFiles(query) == 1 && rows(query) == Seq("[7000]"))
    assert(IndexCommand.run(spark, IndexRequest.refresh("typed_csv")).files == 1)
    assert(keptFiles(spark.table("typed_csv").where("id = 7001")) == 0)
    assert(IndexCommand.drop(spark, "typed_csv") > 0)
    assert(pruning(query).isEmpty && rows(query) == Seq("[7000]"))
  }

  test("lines of text files are found whole, and by their words and substrings") {
    for (n <- 0 until 5)
      lines("logs", s"$n.txt", (0 until 50).map(i => s"[info] request=${n * 50 + i} done"): _*)
    spark.read.text(path("logs")).createOrReplaceTempView("logs")
    index("logs", "value", "tokens(value)")
    for ((condition, files) <- Seq(
        "value = '[info] request=77 done'" -> 1,
        "value = '[info] request=77'" -> 0,
        "value LIKE '%=77 %'" -> 1,
        "value LIKE '% request=7777 %'" -> 0
      )) {
      def query = spark.read.text(path("logs")).where(condition)
      assert(pruning(query).get.keptFiles == files, condition)
      assertSameRows(query, condition)
    }
  }

  test("a path whose files have one format, and a format with a path, are read without options") {
    for (n <- 0 until 3) lines("bare", s"$n.json", s"""{"id": $n, "name": "x$n"}""")
    val bare = path("bare")
    assert(index(bare, "id").files == 3)
    assert(index(s"json.`$bare`", "NAME").files == 3)
    def query = spark.read.json(bare).where("id = 1 AND name = 'x1'")
    assert(pruning(query).get.keptFiles == 1)
    assertSameRows(query, "bare")
    // `_c0` is the name that Spark gives to a column without header
    lines("headless", "0.csv", "id", "1")
    val e = intercept[IllegalArgumentException](index(path("headless"), "id"))
    assert(e.getMessage.contains("no column 'id'") && e.getMessage.contains("temporary view"))
  }

  test("a merge of segments with different columns finds the keys of each column") {
    val columns = Seq("a", "b", "c", "d")
    def write(n: Int) =
      lines("merged", s"$n.json", columns.map(c => s""""$c": "$c$n"""").mkString("{", ", ", "}"))
    (0 to 1).foreach(write)
    def table = {
      spark.read.json(path("merged")).createOrReplaceTempView("merged")
      "merged"
    }
    index(table, "a", "b")
    index(table, "c", "d")
    assert(new File(path("merged"), "0.json").delete())
    write(2)
    index(table, "a", "d")
    IndexCommand.run(spark, IndexRequest.refresh(table))
    val info = IndexCommand.info(spark, table)
    assert(info.map(_.getString(0)).toSet == columns.toSet)
    assert(info.forall(row => row.getInt(3) == 1), "merged")
    for (column <- columns; n <- 0 to 2) {
      val condition = s"$column = '$column$n'"
      assert(keptFiles(spark.table(table).where(condition)) == (if (n == 0) 0 else 1), condition)
      assertSameRows(spark.table(table).where(condition), condition)
    }
  }

  test("partitioned tables are indexed partition by partition") {
    spark
      .range(0, 100, 1, 2)
      .selectExpr("id", "concat('k', id) AS key", "id % 4 AS part")
      .write
      .partitionBy("part")
      .json(path("parts"))
    settle(new File(path("parts")))
    spark.sql(
      s"CREATE TABLE parts (id BIGINT, key STRING, part INT) USING json PARTITIONED BY (part) LOCATION '${path("parts")}'")
    spark.sql("MSCK REPAIR TABLE parts")
    val some =
      IndexCommand.run(spark, IndexRequest.create("parts", Seq("key"), where = Some("part = 1")))
    assert(some.files == 2)
    assert(keptFiles(spark.table("parts").where("key = 'k5' AND part = 1")) == 1)
    assert(keptFiles(spark.table("parts").where("key = 'k5'")) == 7)
    assert(IndexCommand.run(spark, IndexRequest.refresh("parts")).files == 6)
    assert(keptFiles(spark.table("parts").where("key = 'k6'")) == 1)
    assertSameRows(spark.table("parts").where("key IN ('k6', 'k7')"), "parts")
    val e = intercept[IllegalArgumentException](index("parts", "part"))
    assert(e.getMessage.contains("'part' of parts") && e.getMessage.contains("partition column"))
  }

  test("a column that cannot be indexed is named with the reason") {
    lines("kinds", "0.json", "{}")
    spark.sql(
      s"CREATE TABLE kinds (f DOUBLE, flag BOOLEAN, st STRUCT<a: INT>, ok INT) USING json LOCATION '${path("kinds")}'")
    for ((column, why) <- Seq(
        "f" -> "DOUBLE",
        "flag" -> "BOOLEAN",
        "st.a" -> "nested",
        "st" -> "STRUCT",
        "nope" -> "has no column",
        "tokens(ok)" -> "STRING")) {
      val e = intercept[IllegalArgumentException](index("kinds", column))
      assert(e.getMessage.contains("kinds") && e.getMessage.contains(why), column)
    }
    val zones = Some(Rule(0, 0.01, fromFilters = false))
    val e = intercept[IllegalArgumentException](
      IndexCommand.run(spark, IndexRequest.create("kinds", Seq("ok"), zones = zones)))
    assert(e.getMessage.contains("kind keys"))
  }
}
