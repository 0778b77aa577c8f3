package io.sbbf.spark.util

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import io.sbbf.spark.testing.SparkSuite

class SbbfConfSuite extends SparkSuite {

  private val refused = Seq(
    "spark.sbbf.enabled" -> "perhaps",
    "spark.sbbf.rowGroupPruning.enabled" -> "2",
    "spark.sbbf.cache.maxBytes" -> "-1",
    "spark.sbbf.cache.maxBytes" -> "much",
    "spark.sbbf.cache.maxBytes" -> "91%",
    "spark.sbbf.cache.maxBytes" -> "-1%",
    "spark.sbbf.cache.maxBytes" -> "%",
    "spark.sbbf.planning.threads" -> "0",
    "spark.sbbf.planning.threads" -> "x",
    "spark.sbbf.planning.sampleFiles" -> "-1",
    "spark.sbbf.planning.distributedFiles" -> "-1",
    "spark.sbbf.runtimePruning.enabled" -> "maybe",
    "spark.sbbf.runtimePruning.maxKeys" -> "0",
    "spark.sbbf.delta.enabled" -> "no"
  )

  refused.foreach { case (key, value) =>
    test(s"refuses $key=$value and says what is allowed.") {
      val error = intercept[IllegalArgumentException](spark.conf.set(key, value))
      assert(error.getMessage.contains(key))
      assert(SbbfConf.all.filter(_.key == key).exists(c => error.getMessage.contains(c.allowed)))
    }
  }

  test("every default lies within its own range.") {
    SbbfConf.all.foreach(c => c.parse(c.default))
  }

  test("sizes are taken with a unit.") {
    withConf("spark.sbbf.cache.maxBytes" -> "3m") {
      assert(SbbfConf.CacheBytes.get(spark.sessionState.conf) == 3L << 20)
    }
  }

  test("the cache takes a quarter of the heap unless a size or another share is set.") {
    val heap = Runtime.getRuntime.maxMemory
    def size = SbbfConf.CacheBytes.get(spark.sessionState.conf)
    assert(size == heap / 100 * 25)
    withConf("spark.sbbf.cache.maxBytes" -> " 50 % ")(assert(size == heap / 100 * 50))
    withConf("spark.sbbf.cache.maxBytes" -> "0%")(assert(size == 0))
  }

  test("docs/configuration.md lists the keys as they are; SBBF_GENERATE=1 writes it anew.") {
    val path = Paths.get("docs/configuration.md")
    def page = new String(Files.readAllBytes(path), UTF_8)
    val (before, table) = page.splitAt(page.indexOf("| key |"))
    val after = table.linesWithSeparators.dropWhile(_.startsWith("|")).mkString
    val expected = before + SbbfConf.markdown + after
    if (sys.env.contains("SBBF_GENERATE")) Files.write(path, expected.getBytes(UTF_8))
    assert(page == expected)
  }
}
