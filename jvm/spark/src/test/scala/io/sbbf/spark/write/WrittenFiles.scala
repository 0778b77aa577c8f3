package io.sbbf.spark.write

import java.io.File

import scala.util.Random

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row}

import io.sbbf.core.bloom.FilterSizing
import io.sbbf.spark.testing.SparkSuite

/** Writes files with columns of every type that has filters, and checks their filters. */
private[spark] trait WrittenFiles { this: SparkSuite =>
  protected val seed: Long = sys.env.get("SBBF_SEED").fold(new Random().nextLong())(_.toLong)
  info(s"SBBF_SEED=$seed")

  protected def filesIn(folder: File): Seq[File] =
    Option(folder.listFiles).toSeq.flatten.sortBy(_.getName).flatMap { file =>
      if (file.isDirectory) filesIn(file)
      else if (file.getName.matches("[^._].*\\.parquet")) Seq(file)
      else Nil
    }

  protected def files(folder: String): Seq[WrittenFile] =
    filesIn(new File(folder)).map(new WrittenFile(_))

  /** Asserts that every filter is the one that parquet-mr builds at the exact size. */
  protected def assertExact(file: WrittenFile, column: String, fpp: Double = 0.01): Unit =
    (0 until file.numRowGroups).foreach { rowGroup =>
      val hashes = file.hashes(rowGroup, column)
      val filter = file.filter(rowGroup, column)
      if (hashes.isEmpty) assert(filter.isEmpty)
      else {
        val size = FilterSizing.bytesFor(hashes.size, fpp)
        assert(filter.exists(_.length == size), s"$column: $size bytes for ${hashes.size} values")
        assert(filter.get sameElements file.built(hashes, size), column)
      }
    }

  /** Asserts that a folder has exact filters of the column `key`, and `rows` rows. */
  protected def wrote(folder: String, rows: Long): Unit = {
    val written = files(folder)
    assert(written.nonEmpty)
    written.foreach(assertExact(_, "key"))
    assert(spark.read.parquet(folder).count() == rows)
  }

  protected def keyed(from: Long, until: Long): DataFrame =
    spark.range(from, until, 1, 2).selectExpr("id AS key", "id % 3 AS part")

  protected def writer(from: Long, until: Long): DataFrameWriter[Row] =
    keyed(from, until).write.options(enable("key"))

  protected def events: DataFrame = spark
    .range(0, 4000, 1, 1)
    .selectExpr(
      "id",
      s"xxhash64(id, ${seed}L) AS key",
      "cast(id % 7 AS int) AS few",
      "cast(hash(id) AS int) AS number",
      "if(id % 5 = 0, null, concat('user-', id % 3000)) AS name",
      "cast(id / 8 AS float) AS real32",
      "id / 8D AS real64",
      "cast(id AS decimal(5, 0)) AS d5",
      "cast(id AS decimal(15, 2)) AS d15",
      "cast(id AS decimal(30, 2)) AS d30",
      "date_add(DATE'2020-01-01', cast(id % 1000 AS int)) AS day",
      "timestamp_seconds(id) AS at",
      "cast(cast(id AS string) AS binary) AS bytes",
      "named_struct('id', id, 'tag', concat('t', id % 10)) AS st",
      "array(id, id + 1, null) AS list",
      "map(concat('k', id % 50), id) AS m",
      "cast(null AS bigint) AS nothing",
      "id % 2 = 0 AS flag"
    )

  protected val columns = Seq(
    "id",
    "key",
    "few",
    "number",
    "name",
    "real32",
    "real64",
    "d5",
    "d15",
    "d30",
    "day",
    "at",
    "bytes",
    "st.id",
    "st.tag",
    "list.list.element",
    "m.key_value.key",
    "m.key_value.value",
    "nothing"
  )
}
