package io.sbbf.spark.column

import org.apache.spark.sql.DataFrame

import io.sbbf.spark.testing.SparkSuite

/** Queries columns that a file lacks, names otherwise, or has beside those of its directory. */
class ColumnsSuite extends SparkSuite {

  private def keptFiles(df: DataFrame): Option[Int] = pruning(df).map(_.keptFiles)

  private def check(query: => DataFrame, kept: Int): Unit = {
    assert(rows(query) == oracle(query))
    assert(keptFiles(query).exists(_ <= kept), s"${keptFiles(query)} files kept, not $kept")
  }

  private def write(name: String, columns: String*): String = {
    val target = path(name)
    spark.range(0, 10, 1, 1).selectExpr(columns: _*).write.mode("append").parquet(target)
    target
  }

  test("a column that a file lacks is NULL in it, also one within a struct.") {
    val target = write("lacking", "id", "id AS a", "NAMED_STRUCT('x', id, 'y', id) AS st")
    write("lacking", "id", "NAMED_STRUCT('x', id) AS st")
    write("lacking", "id")
    def table =
      spark.read.schema("id BIGINT, a BIGINT, st STRUCT<x: BIGINT, y: BIGINT>").parquet(target)
    check(table.where("a = 5"), 1)
    check(table.where("a <> 5"), 1)
    check(table.where("a IS NOT NULL"), 1)
    check(table.where("st.y = 5"), 1)
    check(table.where("st.x = 5"), 2)
    check(table.where("a IS NULL AND id = 3"), 3)
    check(table.where("a <=> 5"), 1)
    check(table.where("NOT (a <=> 5) AND id < 3"), 3)
    check(table.where("a = 5 OR id = 20"), 1)
    assert(rows(table.where("a IS NULL")).size == 20)
  }

  test("an existence default stands in for a column that a file lacks.") {
    spark.sql("CREATE TABLE defaults (id BIGINT) USING parquet")
    spark.sql("INSERT INTO defaults SELECT id FROM RANGE(0, 10, 1, 1)")
    spark.sql("ALTER TABLE defaults ADD COLUMN d BIGINT DEFAULT 42")
    spark.sql("ALTER TABLE defaults ADD COLUMN n BIGINT")
    spark.sql("INSERT INTO defaults SELECT id, id, id FROM RANGE(0, 10, 1, 1)")
    def table = spark.table("defaults")
    assert(rows(table.where("d = 42")).size == 10)
    for (predicate <- Seq("d = 42", "d <> 5", "d IS NOT NULL", "d IS NULL", "d > 40", "d = 7"))
      assert(rows(table.where(predicate)) == oracle(table.where(predicate)), predicate)
    check(table.where("n = 5"), 1)
    check(table.where("d = 5 AND id = 30"), 0)
    spark.sql("INSERT INTO defaults SELECT id, IF(id < 5, NULL, id), id FROM RANGE(20, 30, 1, 1)")
    check(
      table.where("d = 25"),
      2
    ) // the file without it, and the one of three that might hold it
    check(table.where("d = 7"), 2)
  }

  test("names are found in any case, or in theirs alone where the session says so.") {
    val target = write("cases", "id AS `Key`", "id + 100 AS other")
    def table(name: String) = spark.read.schema(s"`$name` BIGINT").parquet(target)
    check(table("kEY").where("key = 5"), 1)
    check(table("kEY").where("key = 50"), 0)
    withConf("spark.sql.caseSensitive" -> "true") {
      check(table("Key").where("Key = 5"), 1)
      check(table("key").where("key = 5"), 0)
      assert(rows(table("key").where("key IS NULL")).size == 10)
    }
  }

  test("names are found as the session of the table has them, whoever reads it.") {
    val target = write("shared", "id AS `Key`")
    spark.read.schema("key BIGINT").parquet(target).createOrReplaceGlobalTempView("shared")
    val other = spark.newSession()
    other.conf.set("spark.sql.caseSensitive", "true")
    def found = other.sql("SELECT * FROM global_temp.shared WHERE key = 5")
    assert(rows(found) == Seq("[5]") && keptFiles(found).contains(1))
    assert(rows(other.sql("SELECT * FROM global_temp.shared WHERE key = 50")).isEmpty)
  }

  test("names are found as the session has them when the query runs, not when it was planned.") {
    val target = write("changed", "id AS `Key`")
    val cases = Seq("true", "false").map("spark.sql.caseSensitive" -> _)
    for ((planned, run) <- cases.zip(cases.reverse)) {
      def query = spark.read.schema("key BIGINT").parquet(target).where("key = 5")
      def answer(frame: => DataFrame): Seq[String] = {
        val df = frame
        withConf(planned)(df.queryExecution.optimizedPlan)
        withConf(run)(rows(df))
      }
      val plain = withConf("spark.sbbf.enabled" -> "false")(answer(query))
      assert(answer(query) == plain, s"planned with $planned")
      assert(plain.size == (if (run._2 == "true") 0 else 1))
    }
  }

  test("a name that a file has twice is not used in any case, and each by itself in its own.") {
    val target =
      withConf("spark.sql.caseSensitive" -> "true")(write("twice", "id AS a", "id + 100 AS A"))
    withConf("spark.sql.caseSensitive" -> "true") {
      check(spark.read.parquet(target).where("A = 105"), 1)
      check(spark.read.parquet(target).where("a = 105"), 0)
    }
    val ambiguous = spark.read.schema("a BIGINT").parquet(target).where("a = 105")
    // Spark alone fails for such a file, and so the file must be read
    assert(keptFiles(ambiguous).forall(_ == 1))
    intercept[Exception](ambiguous.collect())
  }

  test("dots and backticks in names are letters like others.") {
    val target = write("dots", "id AS `a.b`", "NAMED_STRUCT('b', id + 100, 'c`d', id) AS a")
    def table = spark.read.parquet(target)
    check(table.where("`a.b` = 5"), 1)
    check(table.where("`a.b` = 105"), 0)
    check(table.where("a.b = 105"), 1)
    check(table.where("a.b = 5"), 0)
    check(table.where("a.`c``d` = 50"), 0)
    check(table.where("a.`c``d` = 5"), 1)
  }

  test("columns are found wherever they stand in a file.") {
    val target =
      write("order", "id AS a", "id + 100 AS b", "NAMED_STRUCT('x', id, 'y', id + 100) AS st")
    write("order", "NAMED_STRUCT('y', id + 100, 'x', id) AS st", "id + 100 AS b", "id AS a")
    def table =
      spark.read.schema("a BIGINT, b BIGINT, st STRUCT<x: BIGINT, y: BIGINT>").parquet(target)
    check(table.where("a = 5"), 2)
    check(table.where("a = 105"), 0)
    check(table.where("st.y = 105"), 2)
    check(table.where("st.y = 5"), 0)
  }

  test("a column that files and directories both have is the directories'.") {
    val target = path("both")
    for (p <- Seq(1, 2))
      spark
        .range(0, 10, 1, 1)
        .selectExpr("id", "CAST(id + 100 AS INT) AS p")
        .write
        .parquet(s"$target/p=$p")
    def table = spark.read.parquet(target)
    for (predicate <- Seq("p = 1", "p = 105", "p = 1 AND id = 5", "p = 2 AND id = 50", "p > 1"))
      assert(rows(table.where(predicate)) == oracle(table.where(predicate)), predicate)
    check(table.where("p = 2 AND id = 50"), 0)
    assert(rows(table.where("p = 1")).size == 10)
  }

  test("a file whose column is a struct where the table's is none is left to Spark.") {
    val target = write("shapes", "NAMED_STRUCT('x', id) AS a")
    val number = spark.read.schema("a BIGINT").parquet(target).where("a = 5")
    assert(keptFiles(number).forall(_ == 1))
    val plain = write("plain-shapes", "id AS a")
    val struct = spark.read.schema("a STRUCT<x: BIGINT>").parquet(plain).where("a.x = 5")
    assert(keptFiles(struct).forall(_ == 1))
  }
}
