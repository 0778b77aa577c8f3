package io.sbbf.spark.scan

import org.apache.spark.sql.DataFrame

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite

/** Runs queries on every type, on casts, and on columns whose types differ in file and table. */
class TypesSuite extends SparkSuite {
  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  private val columns = Seq(
    "CAST(id % 100 AS TINYINT) AS by",
    "CAST(id AS SMALLINT) AS sh",
    "CAST(id AS INT) AS i",
    "id AS l",
    "CAST(id / 10 AS FLOAT) AS f",
    "CAST(id / 10 AS DOUBLE) AS d",
    "CAST(id / 100 AS DECIMAL(9,2)) AS d9",
    "CAST(id / 100 AS DECIMAL(18,4)) AS d18",
    "CAST(id / 100 AS DECIMAL(30,6)) AS d30",
    "CAST(id AS STRING) AS s",
    "id % 2 = 0 AS b",
    "DATE_ADD(DATE'2024-03-01', CAST(id AS INT)) AS day",
    "TIMESTAMP'2024-03-01 00:00:00' + MAKE_INTERVAL(0, 0, 0, 0, CAST(id AS INT)) AS ts",
    "TIMESTAMP_NTZ'2024-03-01 00:00:00' + MAKE_INTERVAL(0, 0, 0, 0, CAST(id AS INT)) AS ntz",
    "NAMED_STRUCT('x', CAST(id AS INT), 'y.z', id) AS st"
  )

  /**
   * Writes 4,000 rows to 4 files, ordered by `id`. Their hours span a daylight saving time
   * change.
   */
  private def write(name: String, columns: Seq[String])(options: (String, String)*): String =
    saved(name, spark.range(0, 4000, 1, 4).selectExpr(columns: _*), options.toMap)

  private lazy val all: String =
    withConf(
      "spark.sql.session.timeZone" -> "Europe/Vienna",
      "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS")(write("all", columns)())

  /** Returns the number of kept files: 0 for an empty plan, all for an unpruned relation. */
  private def keptFiles(df: DataFrame): Int =
    pruning(df).fold(df.inputFiles.length)(_.keptFiles)

  /** Checks that the query equals the oracle and keeps at most `kept` of the 4 files. */
  private def check(table: => DataFrame, predicate: String, kept: Int): Unit = {
    val query = table.where(predicate)
    val hint = s"$predicate (ANSI ${spark.conf.get("spark.sql.ansi.enabled")})"
    assert(rows(query) == oracle(table.where(predicate)), hint)
    assert(keptFiles(query) <= kept, hint)
  }

  private val casts: Seq[(String, Int)] = Seq(
    "l = 5.0D" -> 1,
    "l = 5.5D" -> 0,
    "l = 9007199254740993D" -> 0,
    "l <=> 1005.0D" -> 1,
    "l > 2999.5D" -> 1,
    "NOT (l <= 2999.5D)" -> 1,
    "l IN (1.0D, 2.5D, NULL, 3999.0D)" -> 2,
    "l NOT IN (1.0D, 2.5D)" -> 4,
    "i = 5.0D" -> 1,
    "i = '42'" -> 1,
    "l = '42'" -> 1,
    "l IN ('42', '43')" -> 1,
    "i = 42L" -> 1,
    "i = 1e10" -> 0,
    "i > 3998.5" -> 1,
    "sh = 70000" -> 0,
    "sh = 1001" -> 1,
    "by = 200" -> 0,
    "CAST(l AS STRING) = '42'" -> 1,
    "CAST(l AS STRING) = '042'" -> 0,
    "CAST(l AS STRING) IN ('1', '01', '3000')" -> 2,
    "CAST(l AS STRING) <> '42'" -> 4,
    "CAST(l AS INT) = 42" -> 4,
    "CAST(i AS SMALLINT) = 42" -> 4,
    "TRY_CAST(l AS INT) = 42" -> 1,
    "TRY_CAST(l AS TINYINT) > 100" -> 4,
    "CAST(d AS INT) < 99" -> 4,
    "TRY_CAST(d AS INT) < 99" -> 1,
    "s = 42" -> 4,
    "f = 0.1D" -> 0,
    "f = CAST(0.1F AS DOUBLE)" -> 1,
    "f < 99.9D" -> 1,
    "CAST(d AS FLOAT) < 99.9F" -> 1,
    "d9 = 1.5D" -> 1,
    "d9 = '1.5'" -> 1,
    "d9 = 1.555D" -> 0,
    "d18 > 39.98D" -> 1,
    "d30 = 12.34" -> 1,
    "CAST(d30 AS INT) = 12" -> 4,
    "CAST(d9 AS STRING) = '12.34'" -> 1,
    "CAST(b AS INT) = 7" -> 0,
    "day = TIMESTAMP'2024-03-05 00:00:00'" -> 1,
    "day = TIMESTAMP'2024-03-05 00:00:01'" -> 0,
    "day < TIMESTAMP'2024-03-05 00:00:01'" -> 1,
    "CAST(day AS STRING) = '2024-03-31'" -> 1,
    "CAST(day AS STRING) = '2024-3-31'" -> 0,
    "CAST(ts AS DATE) = DATE'2024-03-31'" -> 1,
    "CAST(ts AS DATE) IN (DATE'2024-03-31', DATE'2024-08-01')" -> 2,
    "CAST(ts AS DATE) <> DATE'2024-03-31'" -> 4,
    "TO_DATE(ts) BETWEEN '2024-03-30' AND '2024-04-01'" -> 1,
    "ts = DATE'2024-03-31'" -> 1,
    "ts = TIMESTAMP_NTZ'2024-03-31 02:30:00'" -> 1,
    "CAST(ts AS STRING) = '2024-03-31 03:00:00'" -> 1,
    "CAST(ts AS BIGINT) = 1711846800" -> 1,
    "ntz = DATE'2024-03-31'" -> 1,
    "CAST(ntz AS DATE) = DATE'2024-03-31'" -> 1,
    "st.x = 5.0D" -> 1,
    "st.`y.z` = 5.0D" -> 1
  )

  for ((ansi, tags) <- Seq("true" -> Nil, "false" -> Seq(TestFiles.FullRun)))
    test(s"queries with casts equal the oracle and prune, with ANSI $ansi.", tags: _*) {
      withConf(
        "spark.sql.ansi.enabled" -> ansi,
        "spark.sql.session.timeZone" -> "Europe/Vienna",
        // checks all files: some columns, for example FLOAT ones, need more than their bounds
        "spark.sbbf.planning.sampleFiles" -> "0"
      ) {
        for ((predicate, kept) <- casts)
          check(
            spark.read.parquet(all),
            predicate,
            // without evidence that no value is too large, the cast could raise an error
            if (predicate.startsWith("CAST(l AS INT)") && ansi == "true") 1 else kept
          )
      }
    }

  test(
    "days follow the session's time zone when it differs from the writer's.",
    TestFiles.FullRun) {
    for (zone <- Seq("America/St_Johns", "Pacific/Apia", "UTC"))
      withConf("spark.sql.session.timeZone" -> zone) {
        for ((predicate, _) <- casts if predicate.contains("ts") || predicate.contains("day"))
          check(spark.read.parquet(all), predicate, 4)
      }
  }

  test("queries on columns read as wider types equal the oracle, where it succeeds.") {
    val table = Seq(
      "i BIGINT" -> Seq("i = 5", "i = 5000000000", "i > 3998"),
      "i DOUBLE" -> Seq("i = 5.0D", "i = 5.5D", "i < 7.5D"),
      "i DECIMAL(12,2)" -> Seq("i = 5.00", "i = 5.5", "i > 3998.5"),
      "l DECIMAL(22,2)" -> Seq("l = 5.00", "l = 5.5"),
      "by INT" -> Seq("by = 200", "by = 7"),
      "sh BIGINT" -> Seq("sh = 70000", "sh = 7"),
      "f DOUBLE" -> Seq("f = 0.1D", "f = CAST(0.1F AS DOUBLE)", "f < 1.0D"),
      "d9 DECIMAL(12,2)" -> Seq("d9 = 1.50", "d9 = 1234567890.12"),
      "d9 DECIMAL(12,4)" -> Seq("d9 = 1.5000", "d9 = 1.5001", "d9 < 0.0101"),
      "d30 DECIMAL(34,8)" -> Seq("d30 = 1.5", "d30 = 1.50000001", "d30 > 39.98"),
      "day TIMESTAMP_NTZ" ->
        Seq(
          "day = TIMESTAMP_NTZ'2024-03-05 00:00:00'",
          "day = TIMESTAMP_NTZ'2024-03-05 01:00:00'"),
      "s BINARY" -> Seq("s = X'3432'")
    )
    for ((schema, predicates) <- table; predicate <- predicates; vectorized <- Seq(true, false))
      withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized.toString) {
        val name = schema.takeWhile(_ != ' ')
        def query = spark.read
          .schema(schema)
          .parquet(all)
          .where(predicate)
          .selectExpr(s"CAST($name AS STRING)")
        scala.util.Try(oracle(query)).foreach { expected =>
          assert(rows(query) == expected, s"$schema $predicate")
          if (!predicate.startsWith("by = 7") && !predicate.startsWith("s ="))
            assert(keptFiles(query) <= 1, s"$schema $predicate")
        }
      }
  }

  test("queries find dates and times of every calendar, and prune where nothing is rebased.") {
    val old = Seq(
      "DATE_ADD(DATE'1200-01-01', CAST(id AS INT)) AS day",
      "TIMESTAMP'1500-01-01 00:00:00' + MAKE_INTERVAL(0, 0, 0, CAST(id AS INT)) AS ts")
    val predicates = Seq(
      "day = DATE'1200-02-01'",
      "day < DATE'1200-02-01'",
      "ts = TIMESTAMP'1500-02-01 00:00:00'",
      "ts = TIMESTAMP'1510-02-01 00:00:00'")
    for {
      rebase <- Seq("LEGACY", "CORRECTED")
      kind <- Seq("INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS")
    } {
      val target = withConf(
        "spark.sql.session.timeZone" -> "America/New_York",
        "spark.sql.parquet.outputTimestampType" -> kind,
        "spark.sql.parquet.datetimeRebaseModeInWrite" -> rebase,
        "spark.sql.parquet.int96RebaseModeInWrite" -> rebase
      )(write(s"old-$rebase-$kind", old)("parquet.enable.dictionary" -> "true"))
      for (zone <- Seq("America/New_York", "UTC"); predicate <- predicates)
        withConf("spark.sql.session.timeZone" -> zone) {
          val prunes = rebase == "CORRECTED" && (kind != "INT96" || predicate.startsWith("day"))
          check(spark.read.parquet(target), predicate, if (prunes) 1 else 4)
        }
    }
  }

  test("INT96 that Spark wrote is pruned by its dictionary and its filter.") {
    for (dictionary <- Seq("true", "false")) {
      val target = withConf("spark.sql.parquet.outputTimestampType" -> "INT96")(
        write(
          s"int96-$dictionary",
          Seq(
            "TIMESTAMP'2024-03-01 00:00:00' + MAKE_INTERVAL(0, 0, 0, 0, CAST(id AS INT)) AS ts"))(
          "parquet.enable.dictionary" -> dictionary,
          "parquet.bloom.filter.enabled#ts" -> "true",
          "parquet.bloom.filter.expected.ndv#ts" -> "1000",
          "parquet.bloom.filter.fpp#ts" -> "0.0001"
        ))
      def table = spark.read.parquet(target)
      check(table, "ts = TIMESTAMP'2024-03-05 07:00:00'", 1)
      check(table, "ts = TIMESTAMP'2024-03-05 07:00:00.000001'", 0)
      check(table, "ts IN (TIMESTAMP'2024-03-05 07:00:00', NULL)", 1)
    }
  }

  test("queries find a CHAR in any stored form, and prune by its bounds and its filter.") {
    val texts = Seq(
      "'ab'",
      "'ab   '",
      "''",
      "'\u00e4\u00f6'",
      "'abcde'",
      "'b\t'",
      "CAST(NULL AS STRING)",
      "'zz'")
    val target = path("chars")
    texts.zipWithIndex.foreach { case (text, i) =>
      spark
        .range(1)
        .selectExpr(s"$text AS c", s"$i AS n")
        .coalesce(1)
        .write
        .mode("append")
        .option("parquet.enable.dictionary", "false")
        .options(filterOptions(Seq("c"), ndv = 10))
        .parquet(target)
    }
    spark.sql(s"CREATE TABLE chars (c CHAR(5), n INT) USING parquet LOCATION '$target'")
    val predicates = Seq(
      "c = 'ab'" -> 2,
      "c = 'ab   '" -> 2,
      "c = 'abcde'" -> 1,
      "c = 'abcdef'" -> 8,
      "c = ''" -> 1,
      "c = '\u00e4\u00f6'" -> 1,
      "c IN ('zz', 'none')" -> 1,
      "c <> 'ab'" -> 7,
      "c < 'b'" -> 5,
      "c <= 'b'" -> 5,
      "c > 'b'" -> 8,
      "CAST(c AS STRING) > 'ab'" -> 8,
      "NOT (CAST(c AS STRING) <= 'ab')" -> 8,
      "c >= 'zz'" -> 2,
      "c > 'b\t'" -> 8,
      "NOT (c <= 'ab')" -> 8,
      "c IS NULL" -> 8
    )
    val modes = Seq(
      Nil,
      Seq("spark.sql.readSideCharPadding" -> "false"),
      Seq("spark.sql.legacy.charVarcharAsString" -> "true"))
    for (mode <- modes; (predicate, kept) <- predicates)
      withConf(mode: _*) {
        spark.catalog.refreshTable("chars")
        def query = spark.table("chars").where(predicate)
        assert(rows(query) == oracle(query), s"$predicate with $mode")
        if (mode.isEmpty) assert(keptFiles(query) <= kept, predicate)
      }
  }
}
