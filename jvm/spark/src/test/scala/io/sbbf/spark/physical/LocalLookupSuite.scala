package io.sbbf.spark.physical

import java.io.File
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.duration.DurationInt
import scala.util.Try

import org.apache.spark.TaskContext
import org.apache.spark.api.java.function.FilterFunction
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.execution.FileSourceScanExec
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

  for (key <- Seq(present, "text = 'k123'", s"$present AND few = 3", s"few = 3 AND $present"))
    test(s"no job runs for a row of a row group of 20 MB: $key.") {
      val expected = large.where(key).collect().toSeq
      val (rows, jobs) = counted(large.where(key))(all)
      assert(rows == expected && rows.size == 1 && jobs == 0)
    }

  test("a job runs where native engines read the files.") {
    withConf("spark.sbbf.rowGroupPruning.enabled" -> "false") {
      assert(counted(log.where(present))(all)._2 > 0)
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
    "a function with a lambda variable" ->
      (() => log.where(present).selectExpr("transform(array(id), x -> x + k)")),
    "a static method" ->
      (() => log.where(present).selectExpr("reflect('java.lang.Math', 'abs', 5)")),
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

  for (setting <- Seq("ignoreCorruptFiles", "ignoreMissingFiles"))
    test(s"a job runs with $setting, as errors of the driver alone would lose rows.") {
      withConf(s"spark.sql.files.$setting" -> "true")(
        assert(counted(log.where(present))(all)._2 == 1))
      val read = spark.read.schema(Schema).option(setting, "true").parquet(table)
      assert(counted(read.where(present))(all)._2 == 1)
    }

  test("an interrupted thread gets Spark's error.") {
    val query = log.where(present)
    withConf("spark.sbbf.localLookup.enabled" -> "true") {
      query.queryExecution.executedPlan
      Thread.currentThread.interrupt()
      intercept[InterruptedException](query.collect())
    }
  }

  test("a job reads a large file that was replaced after planning.") {
    val place = path("replaced")
    def write(sign: Int): Unit =
      large.sort(col("id") * sign).coalesce(1).write.mode("overwrite").parquet(place)
    write(1)
    val planned = spark.read.schema(large.schema).parquet(place).where(present)
    val (rows, jobs) = counted(planned)(all)
    assert(rows.size == 1 && jobs == 0)
    def file = new File(place).listFiles.filter(_.getName.endsWith(".parquet")).head
    val read = file
    write(-1)
    java.nio.file.Files.move(file.toPath, read.toPath)
    read.setLastModified(read.lastModified + 5000)
    val (again, jobsAfter) = counted(planned)(all)
    assert(again == rows && jobsAfter > 0)
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

  private def openFiles: Seq[String] =
    new File("/proc/self/fd").listFiles.toSeq.flatMap(f =>
      Try(f.toPath.toRealPath().toString).toOption)

  test("after the first rows no file is open, and the thread runs no task.") {
    val (_, jobs) = counted(wideLog.where("id >= 700").limit(1))(all)
    assert(jobs == 0)
    assert(TaskContext.get() == null)
    assert(!openFiles.exists(_.contains(table)))
  }

  // a row of most pages, but of few batches
  private val spread =
    s"id % 400 = 3 AND k IN (${(0 until 5000 by 400).map(i => s"xxhash64(${i + 3}L)").mkString(", ")})"

  test("a job counts its rows alone, and a lookup that gave up leaves no file open.") {
    for (query <- Seq("few = 3", spread)) {
      val df = large.where(query)
      val (rows, jobs) = counted(df)(all)
      assert(jobs > 0)
      val counts = df.queryExecution.executedPlan.collect { case scan: FileSourceScanExec =>
        scan.metrics("numOutputRows").value
      }
      assert(rows.nonEmpty && counts == Seq(5000), query)
      assert(!openFiles.exists(_.contains(path("large"))))
    }
  }

  test("an explained plan names the node alone.") {
    withConf("spark.sbbf.localLookup.enabled" -> "true") {
      val text = log.where(present).queryExecution.executedPlan.toString
      assert(text.takeWhile(_ != '\n').trim == "LocalLookup")
    }
  }

  test("the SQL tab shows the rows of each node, and what the scan left out.") {
    val store = spark.sharedState.statusStore
    def metrics(query: => DataFrame): Map[(String, String), String] = {
      val before = store.executionsList().map(_.executionId).toSet
      counted(query)(all)
      eventually(timeout(20.seconds), interval(20.millis)) {
        val run = store.executionsList().filterNot(e => before(e.executionId))
        assert(run.size == 1 && run.head.completionTime.isDefined)
        val nodes = store.planGraph(run.head.executionId).allNodes
        val values = store.executionMetrics(run.head.executionId)
        assert(nodes.exists(_.name == "LocalLookup"))
        (for {
          node <- nodes
          metric <- node.metrics
          value <- values.get(metric.accumulatorId)
        } yield (node.name.split(" ").head, metric.name) -> value).toMap
      }
    }
    val small = metrics(log.where(present))
    assert(small(("Filter", "number of output rows")) == "1")
    assert(small(("Scan", "number of output rows")) == "100")
    assert(small(("Scan", "number of files read")) == "1")
    assert(small(("Scan", "sbbf: files kept")) == "1")
    assert(metrics(large.where(present))(("Scan", "sbbf: pages read")).toInt > 0)
  }
}
