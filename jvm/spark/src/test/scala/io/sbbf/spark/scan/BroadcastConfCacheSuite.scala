package io.sbbf.spark.scan

import org.apache.hadoop.conf.Configuration
import org.apache.spark.{SparkConf, SparkContext}
import org.scalatest.funsuite.AnyFunSuite

/** Is a configuration sent once for all queries of a context, and never taken from another one? */
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

  test("configurations that are equal are sent once, as they were then.") {
    inContext { context =>
      val changing = conf("one")
      val first = BroadcastConfCache.of(context, changing)
      assert(BroadcastConfCache.of(context, conf("one")) eq first)
      changing.set("key", "two")
      assert(first.value.value.get("key") == "one")
      assert(BroadcastConfCache.of(context, changing) ne first)
    }
  }

  test("a context whose application has the name of one before sends its own.") {
    for (_ <- 1 to 2) inContext { context =>
      context.broadcast("so that the numbers of broadcasts differ")
      val shared = BroadcastConfCache.of(context, conf("one"))
      assert(context.parallelize(Seq(1)).map(_ => shared.value.value.get("key")).first() == "one")
    }
  }
}
