package io.sbbf.spark.late

import scala.collection.mutable

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.Trigger

/** Joins of the batches of a stream with a large table, in the session that Spark clones for a stream. */
class StreamBatchSuite extends LateKeysTables {

  test("the keys of a stream's batch prune the table that its function joins it with.") {
    query("SELECT 1")
    val found = mutable.ArrayBuffer.empty[String]
    spark.readStream
      .format("rate-micro-batch")
      .option("rowsPerBatch", 3)
      .load()
      .selectExpr("xxhash64(value * 7) AS k")
      .writeStream
      .foreachBatch { (batch: DataFrame, _: Long) =>
        val session = batch.sparkSession
        session.conf.set("spark.sql.adaptive.enabled", "true") // Spark turns it off for streams
        batch.createOrReplaceTempView("batch")
        val df = session.sql("SELECT /*+ MERGE(batch) */ log.id FROM batch JOIN log USING (k)")
        df.collect()
        found += df.queryExecution.executedPlan.toString
        ()
      }
      .trigger(Trigger.AvailableNow())
      .option("checkpointLocation", path("checkpoint"))
      .start()
      .awaitTermination()
    assert(found.head.contains("keys of a join on k"))
  }
}
