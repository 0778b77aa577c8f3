package io.sbbf.spark.scan

import java.io.File
import java.nio.file.Files

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.DataFrame
import org.scalatest.Outcome

import io.sbbf.parquet.testing.{Damage, Faults, TestFiles}
import io.sbbf.spark.testing.SparkSuite

/**
 * Reads streams that return fewer bytes than requested, and files without `bloom_filter_length`.
 */
class ShortReadSuite extends SparkSuite {
  private val keys = 400

  override protected def withFixture(test: NoArgTest): Outcome =
    Faults.during(new Faults { bytesPerRead = 100 })(super.withFixture(test))

  /** Spark 4.0's parquet-mr (1.14 to 1.15) expects one read to return the whole bitset. */
  private val sparkLosesRows = SPARK_VERSION.startsWith("4.0.")

  private lazy val table: String = {
    val rows = spark.range(0, keys, 1, 1).selectExpr("id", "xxhash64(id) AS k")
    val options = filterOptions(Seq("k"), ndv = keys) + ("parquet.enable.dictionary" -> "false")
    val target = saved("short", rows, options)
    for (file <- new File(target).listFiles if file.getName.endsWith(".parquet")) {
      val rewritten = Damage.rewrite(Files.readAllBytes(file.toPath))((metadata, _) =>
        Damage.filtered(metadata).foreach(_.unsetBloom_filter_length()))
      Files.write(file.toPath, rewritten)
    }
    faulty("short")
  }

  private lazy val hashes: Seq[Long] =
    spark.range(2L * keys).selectExpr("id", "xxhash64(id)").collect().map(_.getLong(1)).toSeq

  private def lookup(id: Int): DataFrame = spark.read.parquet(table).where(s"k = ${hashes(id)}")

  private def lost: Int = (0 until keys by 16).count(id => lookup(id).collect().length != 1)

  test("every row is found, even where Spark alone loses some.", TestFiles.FullRun) {
    assert(lost == 0)
    val lostBySpark = withConf("spark.sbbf.enabled" -> "false")(lost)
    info(s"Spark $SPARK_VERSION alone loses $lostBySpark of ${keys / 16} rows")
    assert(if (sparkLosesRows) lostBySpark > 0 else lostBySpark == 0)
    withConf("spark.sbbf.enabled" -> "false", "spark.sql.parquet.filterPushdown" -> "false") {
      assert(lost == 0)
    }
  }

  test("the filter still rules out absent values.") {
    val kept = (0 until 20).count(i => lookup(keys + i).inputFiles.nonEmpty)
    assert(kept < 3)
  }
}
