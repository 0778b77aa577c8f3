package io.sbbf.spark.physical

import java.io.File
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.duration.DurationInt
import scala.util.Try

import org.apache.spark.TaskContext
import org.apache.spark.api.java.function.FilterFunction
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.concurrent.Eventually.{eventually, interval, timeout}

import io.sbbf.spark.testing.SparkSuite

class LocalLookupSuite extends SparkSuite {

  /** Expected rows are those of jobs. */
  override protected def settings: Map[String, String] =
    Map("spark.sbbf.localLookup.enabled" -> "false")

  private val Files = 8

  private lazy val table: String = saved(
    "log",
    spark
      .range(0, 800, 1, Files)
      .selectExpr(
        "xxhash64(id) AS k",
        "id",
        "id % 5 AS few",
        "cast(id AS timestamp) AS at",
        "repeat('x', 200000) AS wide"),
    filterOptions(Seq("k"), ndv = 100, fpp = "0.0001")
  )

  private val Schema = "k bigint, id bigint, few bigint, at timestamp, wide string"

  /** Reads the table with a given schema, because a job finds the schema of files. */
  private def wideLog: DataFrame = spark.read.schema(Schema).parquet(table)
  private def log: DataFrame = wideLog.drop("wide")
  private val present = "k = xxhash64(123L)"
  private val absent = "k = 5"

  /** Returns the rows of a query and the number of jobs that it ran, with local lookups. */
  private def counted(query: => DataFrame)(collect: DataFrame => Array[Row]): (Seq[Row], Int) = {
    val jobs = new Jobs
    spark.sparkContext.addSparkListener(jobs)
    try {
      val before = jobs.number() // earlier jobs, of which the listener hears late
      val rows = withConf("spark.sbbf.localLookup.enabled" -> "true")(collect(query).toSeq)
      (rows, jobs.number() - before)
    } finally spark.sparkContext.removeSparkListener(jobs)
  }

  /** Counts the jobs that start. */
  private final class Jobs extends SparkListener {
    private val started = new AtomicInteger
    @volatile private var ended = new CountDownLatch(1)

    override def onJobStart(start: SparkListenerJobStart): Unit =
      if (start.properties.getProperty(Last) != null) ended.countDown()
      else started.incrementAndGet()

    /** Returns the number of jobs so far: listeners hear of jobs late, but in their order. */
    def number(): Int = {
      ended = new CountDownLatch(1)
      spark.sparkContext.setLocalProperty(Last, "true")
      try spark.sparkContext.parallelize(Seq(1)).count()
      finally spark.sparkContext.setLocalProperty(Last, null)
      assert(ended.await(20, TimeUnit.SECONDS))
      started.get
    }
  }
  private val Last = "sbbf.test.last"

  private val all = (df: DataFrame) => df.collect()

  /** One row group of 20 MB, with keys of one row each, and with keys of many. */
  private lazy val large: DataFrame = {
    val rows = spark
      .range(0, 5000, 1, 1)
      .selectExpr(
        "id",
        "xxhash64(id) AS k",
        "concat('k', id) AS text",
        "id % 5 AS few",
        "cast(id AS timestamp) AS at",
        "hex(aes_encrypt(repeat('x', 2000), '0123456789abcdef', 'GCM', 'DEFAULT', '', cast(id AS string))) AS wide"
      )
    val saved = path("large")
    rows.write.option("parquet.block.size", 1 << 28).parquet(saved)
    spark.read.schema(rows.schema).parquet(saved)
  }

  private val local = Seq[(String, () => DataFrame)](
    "a present key" -> (() => log.where(present)),
    "an absent key" -> (() => log.where(absent)),
    "some columns" -> (() => log.where(present).select("id")),
    "expressions with the session's settings" ->
      (() =>
        log.where(present).selectExpr("cast(at AS string)", "few / 0", "date_format(at, 'H')")),
    "a key beside another predicate" -> (() => log.where(s"$present AND few = 1")),
    "two keys" -> (() => log.where("k IN (xxhash64(123L), xxhash64(124L))")),
    "the first rows" -> (() => log.where("id >= 700").limit(3))
  )

  for {
    zone <- Seq("Asia/Tokyo", "America/Los_Angeles")
    codegen <- Seq("true", "false")
    vectorized <- Seq("true", "false")
    (name, query) <- local
  }
    test(
      s"no job runs for $name; zone $zone, code generation $codegen, vectorized $vectorized.") {
      withConf(
        "spark.sql.session.timeZone" -> zone,
        "spark.sql.ansi.enabled" -> "false",
        "spark.sql.codegen.wholeStage" -> codegen,
        "spark.sql.parquet.enableVectorizedReader" -> vectorized
      ) {
        val expected = query().collect().toSeq
        val (rows, jobs) = counted(query())(all)
        assert(rows == expected && jobs == 0)
      }
    }

  for (format <- Seq("true", "false"))
    test(s"no job runs for a row of a row group of 20 MB; files trimmed $format.") {
      withConf("spark.sbbf.rowGroupPruning.enabled" -> format) {
        for (key <- Seq(
            present,
            "text = 'k123'",
            s"$present AND few = 3",
            s"few = 3 AND $present")) {
          val expected = large.where(key).collect().toSeq
          val (rows, jobs) = counted(large.where(key))(all)
          assert(rows == expected && rows.size == 1)
          assert((jobs == 0) == (format == "true"), key)
        }
      }
    }

  test("take, head and a local iterator run no job.") {
    for (collect <- Seq[DataFrame => Array[Row]](
        _.take(2),
        df => Array(df.head()),
        df => {
          val rows = df.toLocalIterator()
          Iterator.continually(rows).takeWhile(_.hasNext).map(_.next()).toArray
        }
      )) {
      val expected = collect(log.where(present)).toSeq
      assert(counted(log.where(present))(collect) == ((expected, 0)))
    }
  }

  private val delegated = Seq[(String, () => DataFrame)](
    "three row groups" -> (() => log.where("id < 250")),
    "a function of the program" -> { () =>
      val plusOne = udf((n: Long) => n + 1)
      log.where(present).select(plusOne(col("id")))
    },
    "a function of a typed Dataset" -> { () =>
      val keeps =
        new FilterFunction[Row] { override def call(row: Row): Boolean = !row.isNullAt(0) }
      log.where(present).filter(keeps)
    },
    "an aggregate" -> (() => log.where(present).groupBy("few").count()),
    "the result of a subquery" ->
      (() => log.where("k = (SELECT xxhash64(max(id) + 120) FROM range(4))")),
    "a sort" -> (() => log.where(present).sort("id")),
    "a result of more than 8 MiB" -> (() => wideLog.where("id < 100")),
    "a union" -> (() => log.where("id < 100").union(log.where(present))),
    "a query without a filter" -> (() => log),
    "a key in most pages of a large row group" -> (() => large.where("few = 3").drop("wide")),
    "a range in a large row group" -> (() => large.where("at < timestamp_seconds(10)"))
  )

  for ((name, query) <- delegated)
    test(s"a job runs for $name.") {
      val expected = query().collect().toSeq
      val (rows, jobs) = counted(query())(all)
      assert(rows == expected && jobs > 0)
    }

  test("a job keeps the rows that it reads instead, where damaged files are ignored.") {
    withConf("spark.sql.files.ignoreCorruptFiles" -> "true") {
      val query = () => large.where("few = 3").select("id")
      val expected = query().collect().toSeq
      val (rows, jobs) = counted(query())(all)
      assert(rows == expected && rows.size == 1000 && jobs == 1)
    }
  }

  test("an RDD, a cached table and a write of the same query have the same rows.") {
    val expected = log.where(present).collect().toSeq
    withConf("spark.sbbf.localLookup.enabled" -> "true") {
      assert(log.where(present).rdd.collect().toSeq == expected)
      val cached = log.where(present).cache()
      try assert(cached.collect().toSeq == expected)
      finally cached.unpersist()
      log.where(present).write.parquet(path("copy"))
      assert(spark.read.parquet(path("copy")).collect().toSeq == expected)
    }
  }

  test("an error of the query is the error of its job.") {
    withConf("spark.sql.ansi.enabled" -> "true") {
      val query = () => log.where(present).selectExpr("id / (few - few)")
      val expected = intercept[Exception](query().collect())
      val found = intercept[Exception](counted(query())(all))
      assert(found.getClass == expected.getClass)
      // some versions of Spark name the stage and the task
      def text(e: Exception) = e.getMessage.takeWhile(_ != '\n').replaceAll("\\d+", "n")
      assert(text(found) == text(expected))
    }
  }

  test("after the first rows no file is open, and the thread runs no task.") {
    val (_, jobs) = counted(wideLog.where("id >= 700").limit(1))(all)
    assert(jobs == 0)
    assert(TaskContext.get() == null)
    val open = new File("/proc/self/fd").listFiles.map(f => Try(f.toPath.toRealPath().toString))
    assert(!open.exists(_.toOption.exists(_.contains(table))))
  }

  test("an explained plan names the node alone.") {
    withConf("spark.sbbf.localLookup.enabled" -> "true") {
      val text = log.where(present).queryExecution.executedPlan.toString
      assert(text.takeWhile(_ != '\n').trim == "LocalLookup")
    }
  }

  test("the SQL tab shows the rows of each node.") {
    val store = spark.sharedState.statusStore
    val before = store.executionsList().map(_.executionId).toSet
    counted(log.where(present))(all)
    eventually(timeout(20.seconds), interval(20.millis)) {
      val run = store.executionsList().filterNot(e => before(e.executionId))
      assert(run.size == 1 && run.head.completionTime.isDefined)
      val values = store.executionMetrics(run.head.executionId)
      val nodes = store.planGraph(run.head.executionId).allNodes
      def rows(name: String) = nodes
        .find(_.name.startsWith(name))
        .toSeq
        .flatMap(_.metrics.find(_.name == "number of output rows"))
        .map(m => values(m.accumulatorId))
      assert(rows("Filter") == Seq("1") && rows("Scan parquet") == Seq("100"), nodes)
      def ofScan(metric: String) = nodes
        .filter(_.name.startsWith("Scan parquet"))
        .flatMap(_.metrics.find(_.name == metric))
        .map(m => values(m.accumulatorId))
        .toSeq
      assert(ofScan("number of files read") == Seq("1"))
      assert(ofScan("sbbf: files kept") == Seq("1"))
      assert(nodes.exists(_.name == "LocalLookup"))
    }
  }
}
