package io.sbbf.spark.inspect

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.ExtendedMode
import org.apache.spark.sql.functions.{col, lit, udf}
import org.apache.spark.sql.types.MetadataBuilder

import io.sbbf.spark.testing.SparkSuite

/** Tests that probes lose no file, change no key and show none. */
class KeyListingSuite extends SparkSuite {
  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  private def listing(table: String, column: String, more: (String, String)*): DataFrame =
    spark.read.format("sbbf").option("column", column).options(more.toMap).load(table)

  private def probed(table: String, column: String, keys: DataFrame): DataFrame = {
    keys.createOrReplaceTempView("keys")
    listing(table, column, "keys" -> "keys")
  }

  private def files(found: DataFrame): Set[String] =
    found.select("file_name").collect().map(_.getString(0)).toSet

  private def refused(body: => Any): String =
    intercept[IllegalArgumentException](body).getMessage

  for (format <- Seq("parquet", "orc"))
    test(s"files that are older than a column hold its default: $format.") {
      spark.sql(s"CREATE TABLE old_$format (id INT) USING $format")
      try {
        spark.sql(s"INSERT INTO old_$format VALUES (1)")
        spark.sql(s"ALTER TABLE old_$format ADD COLUMNS (c INT DEFAULT 5, d INT)")
        assert(spark.table(s"old_$format").where("c = 5").count() == 1)
        val keys = spark.sql("SELECT 5 AS k")
        assert(probed(s"old_$format", "c", keys).count() == 1)
        assert(probed(s"old_$format", "d", keys).count() == 0)
        val verdicts = listing(s"old_$format", "c", "value" -> "5").select("verdict").collect()
        assert(verdicts.map(_.getString(0)).toSeq == Seq("might_match"))
      } finally spark.sql(s"DROP TABLE old_$format")
    }

  test("a column is found by its field id where queries find it so.") {
    val id = new MetadataBuilder().putLong("parquet.field.id", 1).build()
    for (name <- Seq("a", "b"))
      spark
        .range(1)
        .select(lit(5).as(name, id))
        .write
        .mode("append")
        .options(enable(name))
        .parquet(path("ids"))
    withConf("spark.sql.parquet.fieldId.read.enabled" -> "true") {
      val column = spark.read.parquet(path("ids")).schema.head.name
      assert(spark.read.parquet(path("ids")).where(s"$column = 5").count() == 2)
      assert(files(probed(path("ids"), column, spark.sql("SELECT 5 AS k"))).size == 2)
      assert(files(probed(path("ids"), column, spark.sql("SELECT 6 AS k"))).isEmpty)
    }
  }

  test("keys that are no UTF-8, and days that only one calendar has, are probed as they are.") {
    withConf("spark.sql.parquet.datetimeRebaseModeInWrite" -> "CORRECTED") {
      val odd =
        spark.sql("SELECT cast(unhex('FF41') AS STRING) AS s, date_add(DATE'1582-10-04', 3) AS d")
      val table = saved("odd", odd, filterOptions(Seq("s", "d"), ndv = 10))
      val stored = spark.read.parquet(table)
      for ((column, text) <- Seq("s" -> "hex(key)", "d" -> "cast(key AS STRING)")) {
        val found = probed(table, column, stored.select(column)).selectExpr(text).collect()
        val expected = stored.selectExpr(text.replace("key", column)).collect()
        assert(found.toSeq == expected.toSeq, column)
      }
    }
  }

  private lazy val typed: String = saved(
    "typed",
    spark.sql(
      "SELECT 1L AS n, 'a' AS s, TIMESTAMP'2026-01-01 00:00:00' AS t, CAST(1 AS FLOAT) AS f, " +
        "1D AS x, DATE'2026-01-01' AS d, CAST(1 AS DECIMAL(9, 2)) AS m")
  )

  test("keys of a type whose cast may change them are refused.") {
    for ((from, column) <- Seq(
        "BIGINT" -> "s",
        "DATE" -> "s",
        "TIMESTAMP" -> "n",
        "BIGINT" -> "t",
        "BIGINT" -> "f",
        "INT" -> "f",
        "DOUBLE" -> "f",
        "BIGINT" -> "x",
        "TIMESTAMP" -> "d",
        "BIGINT" -> "m",
        "DECIMAL(9, 3)" -> "m",
        "DECIMAL(9, 2)" -> "n"
      )) {
      val error = refused(probed(typed, column, spark.sql(s"SELECT CAST(NULL AS $from) AS k")))
      assert(error.endsWith("cast them to this type"), s"$from for $column")
    }
  }

  test("keys of narrower types and texts are found.") {
    for ((key, column) <- Seq(
        "CAST(1 AS TINYINT)" -> "n",
        "CAST(1 AS DECIMAL(3, 1))" -> "m",
        "CAST(1 AS SMALLINT)" -> "m",
        "CAST(1 AS SMALLINT)" -> "f",
        "1" -> "x",
        "CAST(1 AS FLOAT)" -> "x",
        "DATE'2026-01-01'" -> "t",
        "CAST('a' AS BINARY)" -> "s",
        "'2026-01-01'" -> "d"
      ))
      assert(
        probed(typed, column, spark.sql(s"SELECT $key AS k")).count() == 1,
        s"$key for $column")
  }

  for (format <- Seq("parquet", "orc"))
    test(s"a key of a CHAR column is found padded or not: $format.") {
      spark.sql(s"CREATE TABLE padded_$format (c CHAR(6), s STRUCT<c: CHAR(3)>) USING $format")
      try {
        val table = s"padded_$format"
        spark.sql(s"INSERT INTO $table VALUES ('ab', named_struct('c', 'x')), ('äb c', NULL)")
        spark.sql(s"INSERT INTO $table VALUES ('other', named_struct('c', 'y'))")
        // column; key; files
        for ((column, key, count) <- Seq(
            ("c", "ab", 1),
            ("c", "ab  ", 1),
            ("c", "äb c", 1),
            ("c", "a", 0),
            ("c", "ab         ", 1),
            ("s.c", "x", 1),
            ("s.c", "z", 0)))
          withClue(s"$column = '$key'") {
            assert(
              files(
                listing(table, column, "value" -> key).where(
                  "verdict = 'might_match'")).size == count)
            val found = probed(table, column, spark.sql(s"SELECT '$key' AS k"))
            assert(found.count() == count && files(found).size == count)
          }
        val both = spark.sql("SELECT explode(array('ab', 'other', 'none')) AS k")
        val keys = probed(table, "c", both).select("key").collect().map(_.getString(0))
        assert(keys.sorted.toSeq == Seq("ab", "other"))
      } finally spark.sql(s"DROP TABLE padded_$format")
    }

  test("a time with a zone is found in a column without zones as a query finds it.") {
    withConf("spark.sql.session.timeZone" -> "America/New_York") {
      val table =
        saved("ntz", spark.sql("SELECT TIMESTAMP_NTZ'2026-01-01 07:00:00' AS t"), Map.empty)
      for ((text, count) <- Seq(
          "2026-01-01 12:00:00Z" -> 1,
          "2026-01-01 13:00:00+01:00" -> 1,
          "2026-01-01 07:00:00" -> 1,
          "2026-01-01 07:00:00Z" -> 0,
          "2026-01-01 12:00:00" -> 0)) {
        assert(probed(table, "t", spark.sql(s"SELECT '$text' AS k")).count() == count, text)
        val verdicts = listing(table, "t", "value" -> text).select("verdict").collect()
        val expected = if (count == 1) "might_match" else "cannot_match"
        assert(verdicts.map(_.getString(0)).toSeq == Seq(expected), text)
      }
    }
  }

  test("a text that a cast would round or cut is refused.") {
    for ((text, column) <- Seq("1.005" -> "m", "2026-01-01 23:00:00" -> "d", "1.5" -> "n")) {
      assert(
        refused(probed(typed, column, spark.sql(s"SELECT '$text' AS k")).count())
          .contains("1 of 1 that cannot be read"))
      assert(
        refused(listing(typed, column, "value" -> text).count()).contains("cannot be read as"),
        text)
    }
    for ((text, column) <- Seq("1.000" -> "m", " 1e0 " -> "m", "2026-01-01 00:00" -> "d"))
      assert(probed(typed, column, spark.sql(s"SELECT '$text' AS k")).count() == 1, text)
  }

  test("a list may repeat its keys more often than the number of keys allows.") {
    val keys = spark.range(1000001).selectExpr("id % 2 AS k")
    assert(probed(typed, "n", keys).count() == 1)
  }

  test("bytes are probed in columns of bytes and of texts only.") {
    def verdict(hex: String) =
      listing(typed, "s", "value_hex" -> hex).select("verdict").head().getString(0)
    assert(verdict("61") == "might_match" && verdict("62") == "cannot_match")
    for (column <- Seq("n", "d", "m"))
      assert(
        refused(listing(typed, column, "value_hex" -> "31").collect())
          .contains("expected BINARY or STRING"))
  }

  test("the keys are collected once, however often a scan is planned.") {
    val found = probed(
      typed,
      "n",
      spark
        .range(1)
        .select(udf((id: Long) => KeyListingSuite.counted(id)).apply(col("id")).as("k")))
    assert(found.count() == 1)
    val before = KeyListingSuite.calls.get
    assert(before > 0)
    assert(found.queryExecution.explainString(ExtendedMode).contains("keys in"))
    assert(found.filter("row_group_id >= 0").count() == 1)
    assert(KeyListingSuite.calls.get == before)
  }

  test("errors of a condition name the error, and show no value of it.") {
    spark
      .range(2)
      .selectExpr("id", "CAST(id AS INT) AS p")
      .write
      .partitionBy("p")
      .parquet(path("p"))
    withConf("spark.sql.ansi.enabled" -> "true") {
      def error(condition: String) =
        refused(spark.read.format("sbbf").option("where", condition).load(path("p")).collect())
      for ((condition, name) <- Seq(
          "p = 'secret'" -> "CAST_INVALID_INPUT",
          "p = array('secret')" -> "DATATYPE_MISMATCH",
          "p = 'secret' x y" -> "PARSE_SYNTAX_ERROR"
        )) {
        assert(error(condition).contains(name), condition)
        assert(!error(condition).contains("secret"), condition)
      }
    }
  }
}

private object KeyListingSuite {
  val calls = new AtomicInteger

  def counted(id: Long): Long = {
    calls.incrementAndGet()
    id + 1
  }
}
