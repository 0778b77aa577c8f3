package io.sbbf.spark.append

import java.io.File
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, Paths}
import java.util.UUID

import scala.concurrent.duration._

import org.apache.parquet.filter2.predicate.FilterApi
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.SparkException
import org.scalatest.concurrent.Eventually

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.append.AddFiltersOutcome._
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.SbbfConf
import io.sbbf.spark.write.WrittenFile

/** Tests that files get the right filters, and keep everything else. */
class AddFiltersSuite extends SparkSuite with ChangesFilters with Eventually {

  test("files of every type get the filters that a writer would give them.") {
    for (timestamps <- Seq("INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS")) {
      val table = withConf("spark.sql.parquet.outputTimestampType" -> timestamps) {
        writeEvents(s"types-$timestamps")
      }
      val before = bytes(only(table))
      assertSameRows(table) {
        val Seq(outcome) = add(table, columns: _*)()
        val file = new WrittenFile(only(table))
        assert(outcome.status == Done && outcome.rowGroups == file.numRowGroups)
        assert(file.numRowGroups > 3)
        assert(
          outcome.filters == (columns.size - 1) * file.numRowGroups
        ) // the column `nothing` has none
        assert(outcome.bytes == file.length)
      }
      columns.foreach(assertExact(new WrittenFile(only(table)), _))
      // the old file is the beginning of the new one
      assert(bytes(only(table)).startsWith(before))
      assert(names(table).filterNot(_.contains("_SUCCESS")) == Set(only(table).getName))
    }
  }

  test("a file that one task changes equals one that many tasks change.") {
    val many = path("many")
    events.repartition(4).write.option("parquet.block.size", 64 * 1024).parquet(many)
    val files = filesIn(new File(many))
    val alone = files.map(file => path(s"alone-${file.getName}"))
    files.zip(alone).foreach { case (file, copy) => Files.copy(file.toPath, Paths.get(copy)) }
    def same(outcome: AddFiltersOutcome): AddFiltersOutcome = outcome.copy(file = "", seconds = 0)
    val byFile = inStages(1)(add(many, "key", "nothing")())
    val byRowGroup = alone.map(file => inStages(2)(add(file, "key", "nothing")()).head)
    assert(byFile.map(same) == byRowGroup.map(same) && byFile.forall(_.status == Done))
    files.zip(alone).foreach { case (file, copy) => assert(bytes(file) == bytes(new File(copy))) }
  }

  test("large files are copied completely, by one task or by several.", TestFiles.FullRun) {
    val table = path("large")
    spark
      .range(0, 1300000, 1, 2)
      .selectExpr("id", s"xxhash64(id, ${seed}L) AS key")
      .write
      .option("compression", "none")
      .option("parquet.block.size", 4 << 20)
      .parquet(table)
    val files = filesIn(new File(table))
    val before = files.map(bytes)
    assert(before.size == 2 && before.forall(_.size > (9 << 20)))
    val alone = path(files.head.getName)
    Files.copy(files.head.toPath, Paths.get(alone))
    assertSameRows(table)(assert(inStages(1)(add(table, "key")()).forall(_.status == Done)))
    assertSameRows(alone)(assert(inStages(2)(add(alone, "key")()).forall(_.status == Done)))
    (files :+ new File(alone)).zip(before :+ before.head).foreach { case (file, old) =>
      assert(bytes(file).startsWith(old))
      assertExact(new WrittenFile(file), "key")
      assert(new WrittenFile(file).numRowGroups > 1)
    }
  }

  /** Asserts the number of stages of the last job, which writes. */
  private def inStages[T](expected: Int)(work: => T): T = {
    val group = UUID.randomUUID.toString
    spark.sparkContext.setJobGroup(group, "")
    try work
    finally {
      spark.sparkContext.clearJobGroup()
      val status = spark.sparkContext.statusTracker
      eventually(timeout(20.seconds)) {
        val jobs = status.getJobIdsForGroup(group)
        assert(jobs.length == 2 && status.getJobInfo(jobs.max).get.stageIds.length == expected)
      }
    }
  }

  test("a lookup prunes files that had no filters before.") {
    val table = path("lookup")
    spark.range(0, 100000, 1, 10).selectExpr("xxhash64(id) AS key").write.parquet(table)
    def kept: Long = {
      val query = spark.read.parquet(table).where("key = 42")
      assert(query.count() == 0)
      query.rdd.getNumPartitions.toLong
    }
    assert(kept > 0)
    assert(add(table, "key")().forall(_.status == Done))
    assert(kept == 0)
  }

  for ((all, ends) <- Seq("a whole run" -> 9, "one batch" -> 1))
    test(s"files that are restored and get filters of another column by $all are read again.") {
      val table = path(s"put-back-$ends")
      spark
        .range(0, 9000, 1, 9) // a batch and one more file
        .selectExpr("xxhash64(id) AS key", "xxhash64(-id) AS other")
        .write
        .parquet(table)
      val files = filesIn(new File(table)).sorted
      val before = files.map(file => Files.readAllBytes(file.toPath))
      def putBack(): Unit = for ((file, content) <- files.zip(before)) {
        Files.write(file.toPath, content)
        assert(file.setLastModified(1700000000000L)) // old enough for the cache
      }
      def find(column: String, value: String): Long =
        spark.read.parquet(table).where(s"$column = xxhash64($value)").count()
      putBack()
      add(table, "key")()
      val length = files.head.length
      assert(find("other", "-7L") == 1) // caches the footers, and no filter of key
      putBack()
      val request = FilterRequests.of(enable("other") + ("table" -> table))
      val job = new AddFiltersJob(spark, request, new CancelledAfter(ends))
      if (ends == 1) intercept[SparkException](job.run()) else job.run()
      assert((files.head.length, files.head.lastModified) == ((length, 1700000000000L)))
      assert(find("key", "7L") == 1)
    }

  test("existing filters stay, are replaced or are dropped.") {
    val table = writeEvents("there", "key")
    val file = only(table)
    def filters(column: String) =
      (0 until new WrittenFile(file).numRowGroups).map(new WrittenFile(file).filter(_, column))
    val written = filters("key")
    val Seq(added) = add(table, "key", "id")("parquet.bloom.filter.fpp#key" -> "0.0001")
    assert(added.filters == written.size)
    assert(filters("key").map(_.map(_.toSeq)) == written.map(_.map(_.toSeq)))
    assertExact(new WrittenFile(file), "id")
    assert(add(table, "key", "id")().map(_.status) == Seq(Unchanged))
    assertSameRows(table) {
      val fpp = "parquet.bloom.filter.fpp#key" -> "0.0001"
      val Seq(replaced) = add(table, "key")(fpp, "replace" -> "true")
      assert(replaced.filters == written.size)
      assertExact(new WrittenFile(file), "key", 0.0001)
      assertExact(new WrittenFile(file), "id")
    }
    assertSameRows(table)(assert(drop(table, "key").map(_.status) == Seq(Done)))
    assert(filters("key").forall(_.isEmpty) && filters("id").forall(_.isDefined))
    assert(drop(table).map(_.status) == Seq(Done)) // all that are left
    assert(filters("id").forall(_.isEmpty))
    assert(drop(table).map(_.status) == Seq(Unchanged))
  }

  test("an FPP of auto counts the row groups in the footers.") {
    val table = path("counted")
    spark
      .range(0, 60000, 1, 2)
      .selectExpr(s"xxhash64(id, ${seed}L) AS key")
      .write
      .option("parquet.block.size", 4 * 1024)
      .option("parquet.page.size", 1024)
      .parquet(table)
    val rowGroups = files(table).map(_.numRowGroups).sum
    assert(rowGroups > 110)
    assert(add(table, "key")("sbbf.bloom.filter.fpp#key" -> "auto").forall(_.status == Done))
    files(table).foreach(assertExact(_, "key", 1.0 / rowGroups))
  }

  test("min.ndv and dictionary omit filters of few values and dictionaries.") {
    val table = writeEvents("few")
    val Seq(outcome) = add(table, "few", "key")(
      "sbbf.bloom.filter.min.ndv#few" -> "8",
      "sbbf.bloom.filter.dictionary#key" -> "false")
    val file = new WrittenFile(only(table))
    assert(outcome.filters > 0 && file.filter(0, "few").isEmpty)
    assertExact(file, "key") // has no dictionary
    val Seq(none) = add(table, "st.tag")("sbbf.bloom.filter.dictionary" -> "false")
    assert(none.status == Unchanged)
  }

  test(
    "chunks with too few values for a filter do not cause a file to be written, or written again.") {
    val table = writeEvents("nothing")
    val minNdv = "sbbf.bloom.filter.min.ndv#few" -> "8"
    val before = bytes(only(table))
    assert(add(table, "few", "nothing")(minNdv).map(_.status) == Seq(Unchanged))
    assert(bytes(only(table)) == before)
    assert(add(table, "few", "nothing", "key")(minNdv).map(_.status) == Seq(Done))
    val after = bytes(only(table))
    assert(add(table, "few", "nothing", "key")(minNdv).map(_.status) == Seq(Unchanged))
    assert(bytes(only(table)) == after)
  }

  test("a filter predicate in the settings for other readers hides no row group.") {
    val table = path("filtered")
    spark
      .range(0, 4000, 1, 1)
      .selectExpr("id", "id AS key")
      .write
      .option("parquet.block.size", 8 * 1024)
      .option("parquet.page.size", 1024)
      .parquet(table)
    val conf = spark.sparkContext.hadoopConfiguration
    ParquetInputFormat.setFilterPredicate(
      conf,
      FilterApi.gt(FilterApi.longColumn("id"), java.lang.Long.valueOf(2000L)))
    try assert(add(table, "key")().map(_.status) == Seq(Done))
    finally conf.unset(ParquetInputFormat.FILTER_PREDICATE)
    val Seq(file) = files(table)
    assert(file.numRowGroups > 3)
    assertExact(file, "key")
  }

  test("readers that look up one of the zeros find the other.") {
    val table = path("zeros")
    spark.sql("SELECT -0.0D AS x, -0.0F AS y").write.parquet(table)
    assert(add(table, "x", "y")().map(_.status) == Seq(Done))
    withConf(SbbfConf.Enabled.key -> "false") {
      val found = spark.read.parquet(table)
      assert(Seq("x = 0.0D", "x = -0.0D", "y = 0.0F").forall(found.where(_).count() == 1))
    }
  }

  test("readers that look up NaN find every NaN.") {
    val table = path("nan")
    val columns = Seq("sqrt(-1D - id) AS x", "cast(sqrt(-1D - id) AS float) AS y")
    for (written <- Seq(true, false)) {
      val filters = if (written) enable("x", "y") else Map.empty[String, String]
      val rows = spark.range(3).selectExpr(columns: _*)
      rows.coalesce(1).write.mode("overwrite").options(filters).parquet(table)
      if (!written) assert(add(table, "x", "y")().map(_.status) == Seq(Done))
      withConf(SbbfConf.Enabled.key -> "false") {
        val found = spark.read.parquet(table)
        assert(found.where("x = double('NaN')").count() == 3)
        assert(found.where("y = float('NaN')").count() == 3)
      }
    }
  }

  test("a run keeps leftover temporary files of other files.") {
    val table = path("stale in Zürich")
    spark.range(0, 4000, 1, 2).write.parquet(table)
    val Seq(mine, other) = filesIn(new File(table)).sorted
    val left = Seq(mine, other).map { file =>
      val name = s".${file.getName}.${java.util.UUID.randomUUID}.sbbf-tmp"
      Files.createFile(new File(table, name).toPath).toFile
    }
    assert(add(s"$table/${mine.getName}", "id")().map(_.status) == Seq(Done))
    assert(left.map(_.exists) == Seq(false, true))
    assert(add(table, "id")().size == 2)
    assert(left.map(_.exists) == Seq(false, false))
  }

  test("permissions, times and links stay.") {
    val table = writeEvents("linked")
    val file = only(table).toPath
    val elsewhere = new File(path("elsewhere.parquet")).toPath
    Files.move(file, elsewhere)
    Files.createSymbolicLink(file, elsewhere)
    Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rw-r--rw-"))
    elsewhere.toFile.setLastModified(1600000000000L)
    assert(add(table, "key")().map(_.status) == Seq(Done))
    assert(Files.isSymbolicLink(file))
    val now = PosixFilePermissions.toString(Files.getPosixFilePermissions(elsewhere))
    assert(now == "rw-r--rw-" && elsewhere.toFile.lastModified == 1600000000000L)
    assertExact(new WrittenFile(elsewhere.toFile), "key")
    assert(spark.read.parquet(table).select("id").distinct().count() == 4000) // through the link
  }

  test("a query planned before the change returns its rows after it.") {
    val table = writeEvents("planned")
    val key = spark.read.parquet(table).select("key").first().getLong(0)
    val queries = Seq(s"key = $key", "key = 42", "id % 7 = 3").map { condition =>
      val query = spark.read.parquet(table).where(condition).select("id")
      assert(query.rdd.getNumPartitions >= 0) // which plans it down to the ranges of files
      query
    }
    assert(add(table, "key")().map(_.status) == Seq(Done))
    assert(queries.map(_.rdd.count()) == Seq(1L, 0L, 571L))
  }
}

/** Lets planning and `batches` batches begin. */
private final class CancelledAfter(batches: Int) extends AddFiltersJob.ProgressListener {
  private var begun = 0
  override def onProgress(done: Long, all: Long): Unit = ()
  override def isCancelled: Boolean = {
    begun += 1
    begun > batches + 1
  }
}
