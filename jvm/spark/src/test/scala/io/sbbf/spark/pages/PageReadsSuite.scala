package io.sbbf.spark.pages

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.functions.{broadcast, col, expr, udf}

import io.sbbf.spark.testing.SparkSuite

/** Queries on row groups of many pages, of which tasks read some. */
class PageReadsSuite extends SparkSuite with AdaptiveSparkPlanHelper {
  override protected def settings: Map[String, String] =
    Map("spark.sbbf.pages.minBytes" -> "1000")

  private val pages =
    Map("parquet.page.row.count.limit" -> "100", "parquet.block.row.count.limit" -> "10000")

  private def rowsOf(from: Long, until: Long): DataFrame =
    spark
      .range(from, until, 1, 1)
      .selectExpr("id" +: "xxhash64(id) AS k" +: "concat('key-', xxhash64(id + 7)) AS s" +:
        "cast(id % 1000 AS int) AS m" +: "if(id % 3 = 0, null, id) AS n" +:
        "named_struct('a', id, 'b', array(id, id + 1), 'e', if(id % 5000 = 7, null, id)) AS st" +:
        "array(id, if(id % 5000 = 7, null, id)) AS items" +:
        "map('a', if(id % 5000 = 7, null, id)) AS pairs" +:
        "date_add(date'1400-01-01', cast(id AS int)) AS day" +: "cast(id AS float) AS b" +:
        (0 until 6).map(i => s"concat('text ', $i, ' ', xxhash64(id, $i)) AS c$i"): _*)

  private lazy val table: String = saved("wide", rowsOf(0, 20000), pages)
  private def wide: DataFrame = spark.read.parquet(table)

  private def same(query: => DataFrame): Unit = {
    val expected = oracle(query)
    for (isSet <- Seq("false", "true"))
      withConf(
        "spark.sql.columnVector.offheap.enabled" -> isSet,
        "spark.sql.adaptive.enabled" -> isSet)(assert(rows(query) == expected))
  }

  private def skipped(query: DataFrame): Long = {
    rows(query)
    collect(query.queryExecution.executedPlan) { case scan: FileSourceScanExec =>
      scan.metrics.get("sbbf: rows skipped in pages").fold(0L)(_.value)
    }.sum
  }

  /** Filters, and whether they leave pages out. */
  private val cases = Seq(
    "k = xxhash64(4711L)" -> true,
    "k IN (xxhash64(1L), xxhash64(9999L), xxhash64(10000L), xxhash64(19999L))" -> true,
    "k = xxhash64(4711L) AND c3 LIKE 'text%'" -> true,
    "k <=> xxhash64(4711L)" -> true,
    "k = xxhash64(-5L)" -> true, // no row passes
    "s LIKE '%77777%'" -> true,
    "s LIKE '%77777%' AND c1 LIKE '%1%'" -> true,
    "m = 7" -> true,
    "m = 7 AND k > 0" -> true,
    "k = xxhash64(5L) OR s = concat('key-', xxhash64(9L))" -> true,
    "NOT (k <> xxhash64(5L))" -> true,
    "n <=> NULL" -> false,
    "n IS NOT NULL" -> false,
    "n = 4711" -> true,
    "st.a = 4711" -> true,
    "array_contains(st.b, 4711L)" -> true,
    "st.a BETWEEN 17 AND 99" -> true,
    "exists(items, x -> x IS NULL)" -> true,
    "aggregate(items, 0L, (s, x) -> s + coalesce(x, 100L)) = 107" -> true,
    "size(map_filter(pairs, (k, v) -> v IS NULL)) = 1" -> true,
    "length(s) < 15" -> true,
    "day = date'1400-02-01'" -> true,
    "id > 0" -> false,
    "id % 5000 = 3" -> true,
    "1 / (id - 4711) > 0 OR id = 4711" -> false, // raises with ANSI, or passes most
    "k = xxhash64(4711L) AND b > 100.5F" -> true // files store it as declared
  )

  for ((condition, isSkipped) <- cases)
    test(s"rows equal the oracle's and pages are left out: $condition, $isSkipped.") {
      withConf("spark.sql.ansi.enabled" -> "false") {
        for (columns <- Seq(Seq("*"), Seq("c3", "_metadata.row_index")))
          same(wide.where(condition).selectExpr(columns: _*))
        assert((skipped(wide.where(condition)) > 0) == isSkipped)
      }
    }

  test("NULL in a struct is none of its values, also where Spark compiles no code.") {
    withConf("spark.sql.codegen.factoryMode" -> "NO_CODEGEN") {
      same(wide.where("st.a IN (5007, 5008) AND st.e IS NULL"))
      assert(skipped(wide.where("st.a IN (5007, 5008) AND st.e IS NULL")) > 0)
    }
  }

  test("keys of a join leave pages out.") {
    val keys = spark.range(0, 20000, 6000).selectExpr("xxhash64(id) AS k")
    def query = wide.join(broadcast(keys), "k")
    same(query)
    assert(skipped(query) > 0)
  }

  test("the result of a subquery leaves pages out.") {
    def query = wide.where("k = (SELECT xxhash64(max(id)) FROM range(4712))")
    same(query)
    assert(skipped(query) > 0)
  }

  test("a part of a filter that fails where the whole filter does not leaves nothing out.") {
    val isPositive = udf((n: Int) => n > 0)
    withConf("spark.sql.ansi.enabled" -> "true") {
      def query = wide.where(isPositive(col("m")) && expr("10 / m > 9"))
      assert(rows(query).size == 20 && skipped(query) == 0)
    }
  }

  test("partition columns, missing columns and columns of other types keep their rows.") {
    val other = path("evolved")
    rowsOf(0, 10000).write.options(pages).parquet(s"$other/p=1")
    rowsOf(10000, 20000).drop("n", "c0").write.options(pages).parquet(s"$other/p=2")
    // the files of a folder may have its column as well
    rowsOf(20000, 30000).selectExpr("*", "77 AS p").write.options(pages).parquet(s"$other/p=3")
    def read = spark.read
      .schema(
        "id bigint, k bigint, m bigint, n bigint, c0 string, c1 string, st struct<a: bigint, z: int>, p int")
      .parquet(other)
    for (condition <- Seq(
        "n IS NULL AND k = xxhash64(10005L)",
        "n = 4711 OR k = xxhash64(10005L)",
        "p = 2 AND k = xxhash64(10005L)",
        "p = 1 AND k = xxhash64(10005L)",
        "p = 3 AND m = 5 OR k = xxhash64(25005L)",
        "p = 77 OR k = xxhash64(25005L)",
        "c0 IS NULL AND k IN (xxhash64(1L), xxhash64(10005L))",
        "st.z IS NULL AND st.a = 4711",
        "m = 5 AND id = 5"
      ))
      same(read.where(condition))
    assert(skipped(read.where("p = 2 AND k = xxhash64(10005L)")) > 0, "files without n and c0")
  }

  test("a setting turns it off, and small row groups are read whole.") {
    withConf("spark.sbbf.pages.enabled" -> "false")(
      assert(skipped(wide.where("k = xxhash64(4711L)")) == 0))
    withConf("spark.sbbf.pages.minBytes" -> "100m")(
      assert(skipped(wide.where("k = xxhash64(4711L)")) == 0))
  }

  test("a scan of which nothing is left makes no reader for pages.") {
    for ((condition, isSelecting) <- Seq("id = -1" -> false, "id = 1" -> true)) {
      val query = wide.where(condition)
      rows(query)
      val planned = query.queryExecution.optimizedPlan.collect { case files: LogicalRelation =>
        files.relation.asInstanceOf[HadoopFsRelation].fileFormat
      }
      val formats = collect(query.queryExecution.executedPlan) { case scan: FileSourceScanExec =>
        scan.relation.fileFormat
      }
      assert((formats != planned) == isSelecting, condition)
    }
  }

  test("a column with the name of a part of the metadata is another one.") {
    val named = saved("named", rowsOf(0, 10000).withColumnRenamed("c0", "file_name"), pages)
    def read = spark.read.parquet(named)
    read.selectExpr("_metadata.file_name AS f").createOrReplaceTempView("names")
    same(read.where("_metadata.file_name = (SELECT max(f) FROM names) AND m = 7"))
    same(read.where("_metadata.file_size > 100 AND file_name LIKE '%77%'"))
    same(read.where("_metadata.file_name LIKE 'part%' AND file_name LIKE '%77%'"))
  }

  test("a limit takes rows in the order of the file.") {
    same(wide.where("id % 50 = 3").limit(7))
    same(wide.where("k = xxhash64(4711L)").limit(1))
    assert(skipped(wide.where("k = xxhash64(4711L)").limit(1)) > 0)
  }

  test("splits inside of a file read each row once.") {
    withConf("spark.sql.files.maxPartitionBytes" -> "100000") {
      same(wide.where("k IN (xxhash64(1L), xxhash64(9999L), xxhash64(10000L), xxhash64(19999L))"))
      same(wide.where("s LIKE '%77%'"))
      assert(skipped(wide.where("k = xxhash64(9999L)")) > 0)
    }
  }
}
