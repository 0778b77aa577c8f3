package io.sbbf.spark.write

import java.io.File

import org.apache.spark.TaskContext
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.{DataFrame, SaveMode}

import io.sbbf.spark.SparkSuite

/** Whatever fails while files with exact filters are written, no file is seen that is not whole. */
class WriteFaultsSuite extends SparkSuite {
  private val Rows = 20000

  /** At a task. */
  private val Attempts = 3

  override protected def settings: Map[String, String] = Map(
    "spark.master" -> s"local[2,$Attempts]",
    "spark.hadoop.fs.brittle.impl" -> classOf[BrittleFileSystem].getName
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.setLogLevel("OFF") // all failures are meant
  }

  private def keys: DataFrame = spark.range(0, Rows, 1, 2).selectExpr("xxhash64(id) AS key")

  private def write(rows: DataFrame, to: String, mode: SaveMode = SaveMode.ErrorIfExists): Unit =
    rows.write
      .mode(mode)
      .option("parquet.bloom.filter.enabled#key", "true")
      .option("parquet.block.size", 32 * 1024)
      .option("parquet.page.size", 8 * 1024)
      .parquet(to)

  private def visible(folder: String): Seq[File] =
    Option(new File(folder).listFiles).toSeq.flatten
      .filterNot(file => file.getName.startsWith(".") || file.getName.startsWith("_"))

  private def assertWhole(folder: String): Unit = {
    assert(visible(folder).nonEmpty)
    visible(folder).foreach { file =>
      val written = new WrittenFile(file)
      assert(written.numRowGroups > 1 && written.filter(0, "key").isDefined)
    }
    val rows = spark.read.parquet(folder)
    assert(rows.count() == Rows && rows.distinct().count() == Rows)
  }

  /** Fails the first attempts of each task in the middle of its rows. */
  private def failing(attempts: Int): DataFrame = {
    val fail = udf { (key: Long, id: Long) =>
      if (id % 10000 == 7000 && TaskContext.get().attemptNumber() < attempts)
        throw new IllegalStateException("killed in the middle")
      key
    }
    spark
      .range(0, Rows, 1, 2)
      .selectExpr("xxhash64(id) AS key", "id")
      .select(fail(col("key"), col("id")).as("key"))
  }

  for (algorithm <- Seq("1", "2")) {
    val committer = "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version"
    val conf = "mapreduce.fileoutputcommitter.algorithm.version" -> algorithm
    test(s"tasks that fail in the middle are done again, with $committer=$algorithm.") {
      withConf(conf)(write(failing(attempts = 2), path(s"again-$algorithm")))
      assertWhole(path(s"again-$algorithm"))
    }

    test(s"a job that fails leaves nothing to be seen, with $committer=$algorithm.") {
      withConf(conf) {
        intercept[Exception](write(failing(attempts = 9), path(s"failed-$algorithm")))
        assert(visible(path(s"failed-$algorithm")).isEmpty)
        write(keys, path(s"failed-$algorithm"), SaveMode.Overwrite)
      }
      assertWhole(path(s"failed-$algorithm"))
    }
  }

  test("a full disk leaves nothing to be seen, wherever in the file it is met.") {
    write(keys.coalesce(1), path("measured"))
    val Seq(measured) = visible(path("measured"))
    val last = new WrittenFile(measured)
    val places =
      Seq(0L, 5L, measured.length / 2, last.firstFilter - 1, last.firstFilter + 5) ++
        Seq(measured.length - 100, measured.length - 1)
    for (room <- places) {
      BrittleFileSystem.room.set(room)
      try intercept[Exception](write(keys.coalesce(1), s"brittle://${path(s"full-$room")}"))
      finally BrittleFileSystem.room.set(Long.MaxValue)
      assert(visible(path(s"full-$room")).isEmpty, room)
    }
    write(keys, s"brittle://${path("full-5")}", SaveMode.Overwrite)
    assertWhole(path("full-5"))
  }

  for ((store, isUpload) <- Seq("a disk" -> false, "an object store" -> true))
    test(s"no stream to $store stays open where there is no room for the filters.") {
      write(keys.coalesce(1), path(s"measured-$isUpload"))
      val Seq(measured) = visible(path(s"measured-$isUpload"))
      val to = s"brittle://${path(s"no-room-$isUpload")}"
      val before = (BrittleFileSystem.streams.get, BrittleFileSystem.aborted.get)
      BrittleFileSystem.isAbortable.set(isUpload)
      BrittleFileSystem.room.set(new WrittenFile(measured).firstFilter + 5)
      try intercept[Exception](write(keys.coalesce(1), to))
      finally {
        BrittleFileSystem.room.set(Long.MaxValue)
        BrittleFileSystem.isAbortable.set(false)
      }
      val after = (BrittleFileSystem.streams.get, BrittleFileSystem.aborted.get)
      assert(after == (before._1, before._2 + (if (isUpload) Attempts else 0)))
    }

  test("a file that the store does not take leaves nothing to be seen.") {
    BrittleFileSystem.failsToClose.set(true)
    try intercept[Exception](write(keys, s"brittle://${path("unclosed")}"))
    finally BrittleFileSystem.failsToClose.set(false)
    assert(visible(path("unclosed")).isEmpty)
    write(keys, s"brittle://${path("unclosed")}", SaveMode.Overwrite)
    assertWhole(path("unclosed"))
  }
}
