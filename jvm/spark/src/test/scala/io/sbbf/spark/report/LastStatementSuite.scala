package io.sbbf.spark.report

import scala.collection.mutable
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.functions.{col, xxhash64}
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.sbbf.spark.testing.SparkSuite

/** What `sbbf.session.last_report` says of statements. */
class LastStatementSuite extends SparkSuite {
  private lazy val events = {
    val keys = spark.range(0, 4000, 1, 8).select(xxhash64(col("id")).as("k"))
    val filters = Map("enabled" -> "true", "fpp" -> "0.0001").map { case (name, value) =>
      s"parquet.bloom.filter.$name#k" -> value
    }
    val path = saved("events", keys, filters)
    spark.read.parquet(path).createOrReplaceTempView("events")
    path
  }

  private def last(session: SparkSession = spark): Option[JsonNode] =
    session
      .sql("SELECT report FROM sbbf.session.last_report")
      .collect()
      .headOption
      .map(row => new ObjectMapper().readTree(row.getString(0)))

  private def scans(session: SparkSession = spark): Seq[(Int, Int)] = {
    val found = last(session).get.get("scans")
    (0 until found.size)
      .map(found.get)
      .map(s => s.get("files").asInt -> s.get("files_kept").asInt)
  }

  private val lookup = "SELECT * FROM events WHERE k = xxhash64(5L)"

  test("a query that show runs is reported, and reading the report is no statement.") {
    events
    spark.sql(lookup).show()
    assert(scans() == Seq(8 -> 1))
    assert(scans() == Seq(8 -> 1))
  }

  test("a statement without files is no last statement.") {
    events
    spark.sql(lookup).collect()
    spark.sql("SET spark.sql.shuffle.partitions").collect()
    spark.range(3).collect()
    assert(scans() == Seq(8 -> 1))
  }

  test("a statement that writes shows the scans of its query.") {
    events
    spark.sql(s"CREATE TABLE found USING parquet AS $lookup")
    assert(scans() == Seq(8 -> 1))
    spark.sql("INSERT INTO found SELECT * FROM events WHERE k IN (xxhash64(9L), xxhash64(4000L))")
    assert(scans() == Seq(8 -> 1))
    spark.sql("DROP TABLE found")
  }

  test("the keys of a join are named, and the reason of what was not pruned.") {
    events
    spark.range(2).selectExpr("xxhash64(id) AS k").createOrReplaceTempView("few")
    spark.sql("SELECT count(*) FROM events JOIN few USING (k)").show()
    val scan = last().get.get("scans").get(0)
    assert(scan.get("late_keys").get(0).asText == "2 keys of a join on k")
    spark.table("events").show()
    assert(last().get.get("unpruned").get(0).get("reason").asText == "no filter reaches the scan")
  }

  test("each session has its own last statement.") {
    events
    val other = spark.newSession()
    assert(last(other).isEmpty)
    other.read.parquet(events).where("k = xxhash64(7L)").collect()
    spark.sql(s"$lookup OR k = xxhash64(3999L)").collect()
    assert(scans(other) == Seq(8 -> 1))
    assert(scans() == Seq(8 -> 2))
  }

  test(
    "a statement that the function of a stream has run is the last one of the batch's session.") {
    events
    val found = mutable.ArrayBuffer.empty[Seq[(Int, Int)]]
    spark.readStream
      .format("rate-micro-batch")
      .option("rowsPerBatch", 3)
      .load()
      .writeStream
      .foreachBatch { (batch: DataFrame, _: Long) =>
        batch.sparkSession.sql(lookup).collect()
        found += scans(batch.sparkSession)
        batch.sparkSession.sql(s"$lookup OR k = xxhash64(3999L)").collect()
        found += scans(batch.sparkSession)
        ()
      }
      .trigger(Trigger.AvailableNow())
      .option("checkpointLocation", path("checkpoint"))
      .start()
      .awaitTermination()
    assert(found.take(2) == Seq(Seq(8 -> 1), Seq(8 -> 2)))
  }

  test("a statement that fails does not count.") {
    events
    spark.sql(lookup).collect()
    val failing = spark.sql("SELECT raise_error('bad') FROM events WHERE k > 0")
    assert(Try(failing.collect()).isFailure)
    assert(scans() == Seq(8 -> 1))
  }

  test("a thread that keeps the number of a query that has ended has its own statements.") {
    events
    spark.sql(lookup).collect()
    val context = spark.sparkContext
    context.setLocalProperty("spark.sql.execution.root.id", "0")
    try
      for (more <- Seq("", " OR k = xxhash64(3999L)"))
        spark.sql(lookup + more).collect()
    finally context.setLocalProperty("spark.sql.execution.root.id", null)
    assert(scans() == Seq(8 -> 2))
  }

  test(
    "the report has the statement's number in the SQL tab, and the next one a greater number.") {
    events
    val numbers = Seq.fill(2) {
      spark.sql(lookup).collect()
      last().get.get("statement").asLong
    }
    assert(numbers(0) < numbers(1))
  }

  test("a statement of a session without pruning says so.") {
    events
    spark.conf.set("spark.sbbf.enabled", "false")
    spark.sql(lookup).collect()
    val report = last()
    spark.conf.unset("spark.sbbf.enabled")
    assert(!report.get.get("enabled").asBoolean)
  }

  test("a report holds no value of a statement.") {
    events
    spark.sql("SELECT * FROM events WHERE k = 123454321").collect()
    assert(!last().get.toString.contains("123454321"))
  }
}
