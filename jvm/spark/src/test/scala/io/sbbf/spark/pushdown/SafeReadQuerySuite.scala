package io.sbbf.spark.pushdown

import scala.util.Try

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, Row}

import io.sbbf.spark.pages.PackedDeltas
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.SbbfConf

class SafeReadQuerySuite extends SparkSuite {

  private val off = SbbfConf.SafeRead.key -> "false"
  private val withoutOurFormat = SbbfConf.RowGroupPruning.key -> "false"

  private def field(name: String, id: Long): StructField = {
    val metadata = new MetadataBuilder().putLong("parquet.field.id", id).build()
    StructField(name, LongType, nullable = true, metadata)
  }

  /** Rows 0 to 99 in a column that is then renamed, beside one that then has its old name. */
  private lazy val renamed: DataFrame = {
    val written = StructType(Seq(field("a", 2), field("b", 1)))
    val rows = java.util.Arrays.asList((0L until 100L).map(i => Row(i, 1000 + i)): _*)
    spark.createDataFrame(rows, written).coalesce(1).write.parquet(path("renamed"))
    spark.read.schema(StructType(Seq(field("a", 1)))).parquet(path("renamed"))
  }

  test("a column found by field id is not probed by a name that another column has in a file.") {
    withConf("spark.sql.parquet.fieldId.read.enabled" -> "true") {
      def found = renamed.where("a = 1005").count()
      assert(found == 1)
      withConf(withoutOurFormat)(assert(found == 1))
      withConf(off)(assert(found == 0, "Spark alone loses the row"))
    }
  }

  test("ranges of floats are read safely, unless that is switched off.") {
    spark
      .range(0, 100, 1, 1)
      .select(col("id"), (col("id") * -0.0).as("f"))
      .write
      .parquet(path("zeros"))
    def found = spark.read.parquet(path("zeros")).where("f >= 0.0D").count()
    assert(found == 100)
    withConf(withoutOurFormat)(assert(found == 100))
    withConf(off)(assert(found == 0, "Spark alone loses the rows"))
  }

  test("a range whose end a subquery finds is read safely, too.") {
    spark.range(0, 100, 1, 1).selectExpr("id", "id * -0.0D AS f").write.parquet(path("found"))
    spark.read.parquet(path("found")).createOrReplaceTempView("found")
    def found =
      spark.sql("SELECT * FROM found WHERE f >= (SELECT max(abs(f)) FROM found)").count()
    assert(found == 100)
    withConf(withoutOurFormat)(assert(found == 100))
  }

  test("times finer than the file's milliseconds are read safely.") {
    withConf("spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MILLIS") {
      spark
        .range(0, 100, 1, 1)
        .selectExpr("TIMESTAMP '2026-01-01 12:00:00.123' AS t")
        .write
        .parquet(path("millis"))
    }
    def found(predicate: String) = spark.read.parquet(path("millis")).where(predicate).count()
    for (predicate <- Seq(
        "t < TIMESTAMP '2026-01-01 12:00:00.1235'",
        "t <> TIMESTAMP '2026-01-01 12:00:00.1235'")) {
      assert(found(predicate) == 100, predicate)
      withConf(withoutOurFormat)(assert(found(predicate) == 100, predicate))
      withConf(off)(assert(found(predicate) == 0, s"Spark alone loses the rows: $predicate"))
    }
  }

  test("decimals wider than those of the file are read safely.") {
    spark
      .range(0, 100, 1, 1)
      .selectExpr("CAST(id AS DECIMAL(9,2)) AS d")
      .write
      .parquet(path("narrow"))
    // Spark 3.5 reads such files row by row only
    withConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
      def found =
        spark.read
          .schema("d DECIMAL(12,2)")
          .parquet(path("narrow"))
          .where("d < 30000000.00BD")
          .count()
      assert(found == 100)
      withConf(withoutOurFormat)(assert(found == 100))
      withConf(off)(assert(found == 0, "Spark alone loses the rows"))
    }
  }

  test("text that is not UTF-8 is found.") {
    spark
      .range(0, 10, 1, 1)
      .selectExpr("CAST(X'FF41' AS STRING) AS s")
      .write
      .options(Map("parquet.enable.dictionary" -> "true"))
      .parquet(path("bytes"))
    def found = spark.read.parquet(path("bytes")).where("s = CAST(X'FF41' AS STRING)").count()
    assert(found == 10)
    withConf(withoutOurFormat)(assert(found == 10))
    withConf(off)(assert(found == 0, "Spark alone loses the rows"))
  }

  /** Writes rows with pages of 50 values of `a`, and of more values of `b`. */
  private def writePages(to: String, rows: Long, version: String): Unit =
    spark
      .range(0, rows, 1, 1)
      .selectExpr("concat(lpad(id, 8, '0'), md5(string(id))) AS a", "id AS b")
      .write
      .options(Map(
        "parquet.writer.version" -> version,
        "parquet.enable.dictionary" -> "false",
        "parquet.page.size" -> "1000",
        "parquet.page.size.row.check.min" -> "50",
        "parquet.page.size.row.check.max" -> "50"
      ))
      .parquet(path(to))

  /** Returns the values of `b` in the rows whose `a` begins with one of these numbers. */
  private def found(in: String, numbers: Long*): Seq[Long] = {
    val keys = numbers.map(n => f"a >= '$n%08d' AND a < '${n + 1}%08d'").mkString(" OR ")
    spark.read.parquet(path(in)).where(keys).collect().toSeq.map(_.getLong(1)).sorted
  }

  test("pages of deltas are read whole where Spark's reader skips their values wrongly.") {
    writePages("deltas", 2000, "PARQUET_2_0") // all values of `b` are in one page
    val keys = 100L until 2000 by 500
    def isRight = keys.forall(key => found("deltas", key) == Seq(key))
    assert(isRight)
    withConf(withoutOurFormat)(assert(isRight))
    withConf(off)(assert(isRight == PackedDeltas.areSkippedCorrectly, "a value of another row"))
  }

  test("the last row of a row group is read right where Spark reads row by row.") {
    writePages("last", 2001, "PARQUET_1_0")
    val (first, last) = (20L, 2000L)
    for (isVectorized <- Seq(true, false))
      withConf("spark.sql.parquet.enableVectorizedReader" -> isVectorized.toString) {
        assert(found("last", first, last) == Seq(first, last))
        withConf(withoutOurFormat)(assert(found("last", first, last) == Seq(first, last)))
        val alone = if (isVectorized) last else 50L // the row after those that are read
        withConf(off)(assert(found("last", first, last) == Seq(first, alone)))
      }
  }

  test("a default that Spark reads for other values keeps rows.") {
    val place = path("defaulted")
    spark.sql(s"CREATE TABLE defaulted (a INT, c INT) USING parquet LOCATION '$place'")
    spark.sql("INSERT INTO defaulted VALUES (42, 1)")
    spark.sql("ALTER TABLE defaulted ADD COLUMN b INT DEFAULT 42")
    spark
      .sql("SELECT 43 AS a, CAST(NULL AS INT) AS b UNION ALL SELECT 44, 7")
      .coalesce(1)
      .write
      .mode("append")
      .parquet(place)
    spark.catalog.refreshTable("defaulted")
    for (reader <- Seq("true", "false"))
      withConf("spark.sql.parquet.enableVectorizedReader" -> reader) {
        for (condition <- Seq("b = 42", "b IN (42, 5)", "b > 40", "b = 7", "b IS NULL")) {
          def query = spark.table("defaulted").where(condition)
          assert(rows(query) == oracle(query), s"$condition, vectorized $reader")
        }
        val size = rows(spark.table("defaulted").where("b = 42")).size
        assert(size == (if (reader == "true") 1 else 3), "as Spark reads it")
      }
  }

  test("Spark's reader of deltas is right since 4.3.") {
    val Array(major, minor) = SPARK_VERSION.split('.').take(2).map(_.toInt)
    assert(PackedDeltas.areSkippedCorrectly == (major > 4 || major == 4 && minor >= 3))
  }

  private val isOf4 = !SPARK_VERSION.startsWith("3.")

  /** Predicates by which Spark alone loses all rows of a file or fails, and the read schemas. */
  private val mistaken = Seq(
    // a file's column; what it is read as; predicates; Sparks that read it so
    ("CAST(7 AS INT) AS c", "c BIGINT", Seq("c NOT IN (5, 4294967303)"), isOf4),
    ("12.34BD AS c", "c DECIMAL(12,4)", Seq("c IN (NULL, 12.34BD)"), isOf4),
    ("CAST(0.5 AS FLOAT) AS c", "c DOUBLE", Seq("c IN (NULL, 0.5D)"), isOf4),
    ("CAST('a' AS BINARY) AS c", "c STRING", Seq("c IN (NULL, 'a')"), true),
    ("300 AS c", "c TINYINT", Seq("c = 44Y", "c < 100Y", "c IN (44Y, 45Y)"), true),
    (
      "DATE'1582-10-10' AS c",
      "c DATE",
      Seq("c = DATE'1582-10-10'", "c > DATE'1582-10-08'", "c IN (DATE'1582-10-10')"),
      true),
    (
      "TIMESTAMP'1582-10-10 12:00:00' AS c",
      "c TIMESTAMP",
      Seq("c = TIMESTAMP'1582-10-10 12:00:00'"),
      true),
    (
      "CAST(1 AS DECIMAL(20,2)) AS c",
      "c DECIMAL(38,2)",
      Seq(s"c IN (1.00BD, ${"1" * 35}.00BD)"),
      isOf4)
  )

  for ((written, schema, predicates, isRead) <- mistaken if isRead)
    test(s"$written, read as $schema, is read safely.") {
      val table = path(s"mistaken-${schema.hashCode}-${written.hashCode}")
      withConf(
        "spark.sql.parquet.datetimeRebaseModeInWrite" -> "CORRECTED",
        "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS") {
        spark.range(0, 100, 1, 1).selectExpr(written).write.parquet(table)
      }
      def found(predicate: String) =
        spark.read.schema(schema).parquet(table).where(predicate).count()
      for (predicate <- predicates) {
        withConf("spark.sql.parquet.filterPushdown" -> "false", SbbfConf.Enabled.key -> "false")(
          assert(found(predicate) == 100, predicate))
        assert(found(predicate) == 100, predicate)
        val alone = withConf(off)(Try(found(predicate)))
        assert(!alone.toOption.contains(100L), s"Spark alone answers $predicate")
        val whole = withConf(withoutOurFormat)(Try(found(predicate)))
        assert(whole.toOption.contains(100L) || alone.isFailure && whole.isFailure, predicate)
      }
    }

  test("instants before zones had offsets of whole hours are read safely.") {
    val zone = "America/Los_Angeles"
    val table = path("mean-time")
    val before = java.util.TimeZone.getDefault
    withConf(
      "spark.sql.parquet.datetimeRebaseModeInWrite" -> "CORRECTED",
      "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS",
      "spark.sql.session.timeZone" -> "UTC"
    ) {
      val at = "TIMESTAMP'1883-11-18 19:58:00'"
      spark.range(0, 100, 1, 1).selectExpr(s"$at AS t").write.parquet(table)
      def found = spark.read.parquet(table).where(s"t = $at").count()
      java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone(zone))
      try {
        assert(found == 100)
        withConf(withoutOurFormat)(assert(found == 100))
        withConf(off)(assert(found == 0, "Spark alone loses the rows"))
      } finally java.util.TimeZone.setDefault(before)
    }
  }

  test("days that the driver's zone has skipped are read safely.") {
    val table = path("date-line")
    val before = java.util.TimeZone.getDefault
    withConf(
      "spark.sql.parquet.datetimeRebaseModeInWrite" -> "CORRECTED",
      "spark.sql.session.timeZone" -> "UTC") {
      spark.range(0, 100, 1, 1).selectExpr("DATE'2011-12-30' AS d").write.parquet(table)
      def found = spark.read.parquet(table).where("d = DATE'2011-12-30'").count()
      java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("Pacific/Apia"))
      try {
        assert(found == 100)
        withConf(withoutOurFormat)(assert(found == 100))
        withConf(off)(assert(found == 0, "Spark alone loses the rows"))
      } finally java.util.TimeZone.setDefault(before)
    }
  }

  test("the rows that Spark's readers count are no column of the files.") {
    spark.range(0, 100, 1, 1).write.parquet(path("counted"))
    val counted = "_tmp_metadata_row_index"
    def found = spark.read
      .schema(s"id BIGINT, $counted BIGINT")
      .parquet(path("counted"))
      .where(s"$counted = 5")
      .count()
    withConf(SbbfConf.Enabled.key -> "false")(assert(found == 1))
    assert(found == 1)
  }

  test("predicates that Spark does not push leave the scan's other checks on.") {
    spark.range(0, 100, 1, 1).selectExpr("id", "id / 2 AS f").write.parquet(path("chance"))
    def options(predicate: String) = withConf(withoutOurFormat) {
      spark.read
        .parquet(path("chance"))
        .where(predicate)
        .queryExecution
        .optimizedPlan
        .collectFirst { case r: LogicalRelation => r.relation }
        .collect { case r: HadoopFsRelation => r.options.keySet.filter(_.contains("filter")) }
        .get
    }
    val usual = options("id = 5")
    assert(options("rand() < 0.1 AND id = 5") == usual)
    assert(options("f / 3 > 1D AND id = 5") == usual)
    assert(options("f > 1D AND id = 5").size == 5 && usual.size < 5)
    assert(options("f > 1D AND f < 2D") == usual)
  }
}
