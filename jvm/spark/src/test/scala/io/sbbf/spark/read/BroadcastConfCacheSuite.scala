package io.sbbf.spark.read

import org.apache.hadoop.conf.Configuration
import org.apache.spark.{SparkConf, SparkContext}
import org.scalatest.funsuite.AnyFunSuite

/** Checks that equal configurations are broadcast once for each context. */
class BroadcastConfCacheSuite extends AnyFunSuite {
  private def inContext[T](body: SparkContext => T): T = {
    val conf = new SparkConf(false)
      .setMaster("local[1]")
      .setAppName(suiteName)
      .set("spark.ui.enabled", "false")
      .set("spark.test.appId", "the same for all")
    val context = new SparkContext(conf)
    try body(context)
    finally context.stop()
  }

  private def conf(value: String): Configuration = {
    val conf = new Configuration(false)
    conf.set("key", value)
    conf
  }

  test("equal configurations are broadcast once, with their entries at that time.") {
    inContext { context =>
      val changing = conf("one")
      val first = BroadcastConfCache.of(context, changing)
      assert(BroadcastConfCache.of(context, conf("one")) eq first)
      changing.set("key", "two")
      assert(first.value.value.get("key") == "one")
      assert(BroadcastConfCache.of(context, changing) ne first)
    }
  }

  test("a context with the application id of an earlier one broadcasts its own.") {
    for (_ <- 1 to 2) inContext { context =>
      context.broadcast("so that the numbers of broadcasts differ")
      val shared = BroadcastConfCache.of(context, conf("one"))
      assert(context.parallelize(Seq(1)).map(_ => shared.value.value.get("key")).first() == "one")
    }
  }
}
