package io.sbbf.spark.cli

import java.io.{ByteArrayOutputStream, PrintStream}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart
import org.scalatest.concurrent.Eventually
import org.scalatest.time.SpanSugar._

import io.sbbf.spark.testing.SparkSuite

class KeyProbeSuite extends SparkSuite with Eventually {

  override implicit val patienceConfig: PatienceConfig = PatienceConfig(30.seconds, 50.millis)

  /** Returns the plans of the queries that `body` runs, as an event log has them. */
  private def plans(body: => Unit): Seq[String] = {
    val seen = new ConcurrentLinkedQueue[String]
    val listener = new SparkListener {
      override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
        case e: SparkListenerSQLExecutionStart =>
          seen.add(s"${e.description} ${e.physicalPlanDescription} ${e.sparkPlanInfo}")
        case _ =>
      }
    }
    spark.sparkContext.addSparkListener(listener)
    try {
      body
      eventually(assert(seen.asScala.exists(_.contains("keys of the command line"))))
      seen.asScala.toSeq
    } finally spark.sparkContext.removeSparkListener(listener)
  }

  test("keys of the command line are in the rows, and in no plan.") {
    val table = saved("events", spark.range(1).selectExpr("4711L AS key"))
    val printed = new ByteArrayOutputStream
    val shown = plans {
      KeyProbe.run(
        spark,
        Map(
          "path" -> table,
          "column" -> "key",
          "keys" -> """["4711", "5"]""",
          "is_hex" -> "false"),
        new PrintStream(printed, true, "UTF-8"))
    }
    assert(printed.toString("UTF-8").contains("\"key\":\"4711\""))
    assert(!shown.exists(_.contains("4711")))
  }
}
