package io.sbbf.spark.scan

import java.io.File
import java.nio.file.Files

import org.apache.spark.sql.DataFrame

import io.sbbf.spark.testing.SparkSuite

/** Checks that queries which can see splits see the same splits as without pruning. */
class SplitsSuite extends SparkSuite {

  private def dataTasks(df: DataFrame): Int = df.queryExecution.toRdd.getNumPartitions

  private def writeSmallRowGroups(target: String, ids: Long, files: Int): Unit = spark
    .range(0, ids, 1, files)
    .write
    .option("parquet.block.size", "16384")
    .option("parquet.page.row.count.limit", "500")
    .option("parquet.enable.dictionary", "false")
    .parquet(target)

  test("a query that reads block positions sees them as without pruning.") {
    val target = path("blocks")
    writeSmallRowGroups(target, ids = 20000, files = 1)
    withConf("spark.sql.files.maxPartitionBytes" -> "20000") {
      def table = spark.read.parquet(target)
      def shown = table
        .where("id = 19000")
        .selectExpr("id", "_metadata.file_block_start", "input_file_block_length()")
      def filtered = table.where("id = 19000 AND _metadata.file_block_start > 0")
      assert(rows(shown) == oracle(shown))
      assert(rows(filtered) == oracle(filtered) && rows(filtered).size == 1)
      assert(dataTasks(table.where("id = 19000")) == 1)
    }
  }

  test("fully pruned files count for the size of splits that a query sees.") {
    val target = path("two-files")
    writeSmallRowGroups(target, ids = 40000, files = 2)
    withConf("spark.sql.files.openCostInBytes" -> "1", "spark.sql.files.minPartitionNum" -> "2") {
      def one = spark.read.parquet(target).where("id = 39000")
      def inWholeFile = one.where("_metadata.file_block_start = 0")
      assert(rows(inWholeFile) == oracle(inWholeFile) && rows(inWholeFile).size == 1)
      for (shown <- Seq("input_file_block_start()", "_metadata", "_metadata.file_block_length")) {
        def query = one.selectExpr("id", shown)
        assert(rows(query) == oracle(query), shown)
        assert(dataTasks(query) == 2, shown)
      }
      assert(dataTasks(one.join(spark.range(1)).selectExpr("_metadata")) == 2)
      assert(dataTasks(one.selectExpr("id", "_metadata.file_path", "_metadata.row_index")) == 1)
    }
  }

  test("Spark skips no more of a damaged file than without pruning.") {
    val target = path("damaged-page")
    writeSmallRowGroups(target, ids = 20000, files = 1)
    val file = new File(target).listFiles.filter(_.getName.endsWith(".parquet")).head
    new File(target, s".${file.getName}.crc").delete()
    val bytes = Files.readAllBytes(file.toPath)
    java.util.Arrays.fill(bytes, 4, 100, -1.toByte) // the first page's header
    Files.write(file.toPath, bytes)
    withConf(
      "spark.sql.files.maxPartitionBytes" -> "50000",
      "spark.sql.files.ignoreCorruptFiles" -> "true") {
      def query = spark.read.parquet(target).where("id IN (5, 19000)")
      assert(oracle(query) == Seq("[19000]"))
      assert(rows(query) == oracle(query))
    }
  }
}
