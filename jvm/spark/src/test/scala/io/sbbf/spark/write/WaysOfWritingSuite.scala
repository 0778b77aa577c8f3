package io.sbbf.spark.write

import java.nio.file.{Files, Paths}

import org.apache.logging.log4j.Level
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, SparkSession, SparkSessionExtensions}

import io.sbbf.spark.SbbfExtensions
import io.sbbf.spark.testing.{Logged, SparkSuite}

class WaysOfWritingSuite extends SparkSuite with WrittenFiles {
  override protected def settings: Map[String, String] = Map(
    "spark.sql.extensions" ->
      Seq(classOf[SbbfExtensions], classOf[HiddenSinks]).map(_.getName).mkString(","))

  private lazy val source: String = {
    spark.range(0, 100, 1, 1).write.parquet(path("source"))
    path("source")
  }

  private def stream(to: String, options: Map[String, String], parts: String*): Unit =
    spark.readStream
      .schema("id LONG")
      .parquet(source)
      .selectExpr("id AS key", "id % 2 AS part")
      .writeStream
      .option("checkpointLocation", s"$to checkpoint")
      .options(options)
      .partitionBy(parts: _*)
      .trigger(Trigger.AvailableNow())
      .start(to)
      .awaitTermination()

  test("a stream writes exact filters by its options and by the session's settings.") {
    val messages = Logged
      .during(Level.WARN) {
        stream(path("by options"), enable("key"))
        withConf(enable("key").toSeq: _*)(stream(path("by settings"), Map.empty))
        stream(path("in parts"), enable("key"), "part")
      }
      ._2
    for (to <- Seq("by options", "by settings", "in parts")) wrote(path(to), 100)
    assert(!messages.exists(_.contains("streams")), messages)
  }

  test(
    "a stream without a request for filters, or with exactFilters off, is written by Spark alone.") {
    stream(path("plain"), Map.empty)
    assert(files(path("plain")).forall(_.filter(0, "key").isEmpty))
    withConf(("spark.sbbf.exactFilters.enabled" -> "false") +: enable("key").toSeq: _*) {
      stream(path("spark's"), Map.empty)
    }
    assert(files(path("spark's")).map(_.filter(0, "key").map(_.length)) == Seq(Some(1024 * 1024)))
  }

  test("an FPP of auto depends on the files in the folder of a stream.") {
    val to = path("auto")
    Files.createDirectories(Paths.get(to))
    for (n <- 1 to 999) Files.createFile(Paths.get(to, s"file-$n"))
    stream(to, enable("key") + FilterOptions.fpp("key", "auto"))
    assert(files(to).nonEmpty)
    files(to).foreach(assertExact(_, "key", 0.001))
  }

  test("a stream whose sink cannot be found is written by Spark alone, with one warning.") {
    val (_, messages) = Logged.during(Level.WARN) {
      HiddenSinks.areOn = true
      try
        withConf(enable("key").toSeq: _*) {
          for (n <- 1 to 2) stream(path(s"hidden-$n"), Map.empty)
        }
      finally HiddenSinks.areOn = false
    }
    assert(messages.count(_.contains("get Spark's own bloom filters")) == 1, messages)
    for (n <- 1 to 2) {
      assert(
        files(path(s"hidden-$n")).map(_.filter(0, "key").map(_.length)) == Seq(Some(1 << 20)))
      assert(spark.read.parquet(path(s"hidden-$n")).distinct().count() == 100)
    }
  }

  test("a stream writes exact filters by foreachBatch.") {
    val write: (DataFrame, Long) => Unit =
      (batch, _) => batch.write.options(enable("key")).mode("append").parquet(path("batches"))
    val stream = spark.readStream.schema("id LONG").parquet(source).selectExpr("id AS key")
    stream.writeStream
      .foreachBatch(write)
      .option("checkpointLocation", path("checkpoint of batches"))
      .trigger(Trigger.AvailableNow())
      .start()
      .awaitTermination()
    wrote(path("batches"), 100)
  }

  test("every way of writing a table writes exact filters.") {
    writer(0, 100).partitionBy("part").parquet(path("partitioned"))
    wrote(path("partitioned"), 100)
    writer(100, 200).mode("append").partitionBy("part").parquet(path("partitioned"))
    wrote(path("partitioned"), 200)
    withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
      writer(0, 50).mode("overwrite").partitionBy("part").parquet(path("partitioned"))
    }
    wrote(path("partitioned"), 50)
    val warehouse = path("warehouse")
    writer(0, 100).saveAsTable("saved")
    wrote(s"$warehouse/saved", 100)
    writer(100, 200).insertInto("saved") // with the options that the table has
    wrote(s"$warehouse/saved", 200)
    writer(0, 100).bucketBy(2, "key").sortBy("key").saveAsTable("bucketed")
    wrote(s"$warehouse/bucketed", 100)
    keyed(0, 100).createOrReplaceTempView("some")
    val options = "OPTIONS ('parquet.bloom.filter.enabled#key' = 'true')"
    spark.sql(s"CREATE TABLE ctas USING parquet $options AS SELECT * FROM some")
    wrote(s"$warehouse/ctas", 100)
    spark.sql("INSERT INTO ctas SELECT * FROM some")
    wrote(s"$warehouse/ctas", 200)
    spark.sql("INSERT OVERWRITE ctas SELECT * FROM some")
    wrote(s"$warehouse/ctas", 100)
    spark.sql(
      s"CREATE TABLE parted (key BIGINT, part BIGINT) USING parquet $options PARTITIONED BY (part)")
    spark.sql("INSERT INTO parted PARTITION (part = 1) SELECT key FROM some")
    wrote(s"$warehouse/parted", 100)
  }

  test(
    "columns with capital letters get exact filters, although table options are in lower case.") {
    val options = enable("userId", "st.traceId").map { case (key, value) => s"'$key' '$value'" }
    val fpp = "'sbbf.bloom.filter.fpp#userId' '0.0001'"
    val all = (options.toSeq :+ fpp).mkString(", ")
    spark.sql(
      s"CREATE TABLE capitals (userId LONG, st STRUCT<traceId: LONG>) USING parquet OPTIONS ($all)")
    val row =
      "SELECT id AS userId, named_struct('traceId', id + 1) AS st FROM range(0, 500, 1, 1)"
    try {
      spark.sql(s"INSERT INTO capitals $row")
      spark.sql(row).write.insertInto("capitals")
      val written = files(s"${path("warehouse")}/capitals")
      assert(written.size == 2)
      written.foreach(assertExact(_, "userId", 0.0001))
      written.foreach(assertExact(_, "st.traceId"))
    } finally spark.sql("DROP TABLE capitals")
  }

  test("an existing table gets filters only by its own options and the session's settings.") {
    val table = s"${path("warehouse")}/bare"
    def filtered: Int = files(table).count(_.filter(0, "key").isDefined)
    spark.sql("CREATE TABLE bare (key BIGINT, part BIGINT) USING parquet")
    writer(0, 100).insertInto("bare") // whose options Spark drops
    writer(0, 100).mode("append").saveAsTable("bare")
    assert(filtered == 0 && files(table).size == 4)
    withConf(enable("key").toSeq: _*)(keyed(0, 100).write.insertInto("bare"))
    assert(filtered == 2)
    val options = "SERDEPROPERTIES ('parquet.bloom.filter.enabled#key' = 'true')"
    spark.sql(s"ALTER TABLE bare SET $options")
    keyed(0, 100).write.insertInto("bare")
    assert(filtered == 4 && files(table).size == 8)
  }

  test("several inserts in one statement write exact filters.") {
    val tables = Seq("evens", "odds")
    for (table <- tables)
      spark.sql(
        s"CREATE TABLE $table (key LONG) USING parquet " +
          "OPTIONS ('parquet.bloom.filter.enabled#key' 'true')")
    try {
      spark.sql(
        "FROM (SELECT id FROM range(0, 200, 1, 1)) INSERT INTO evens SELECT id AS key WHERE id % 2 = 0 " +
          "INSERT INTO odds SELECT id AS key WHERE id % 2 = 1")
      for (table <- tables) wrote(s"${path("warehouse")}/$table", 100)
    } finally tables.foreach(table => spark.sql(s"DROP TABLE $table"))
  }
}

/** While it is on, this extension hides a thread's stream from the extensions after it. */
final class HiddenSinks extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectOptimizerRule(_ => HiddenSinks)
}

object HiddenSinks extends Rule[LogicalPlan] {
  private val Id = "sql.streaming.queryId"

  @volatile var areOn = false

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val context = SparkSession.active.sparkContext
    if (areOn && context.getLocalProperty(Id) != null) context.setLocalProperty(Id, "no id")
    plan
  }
}
