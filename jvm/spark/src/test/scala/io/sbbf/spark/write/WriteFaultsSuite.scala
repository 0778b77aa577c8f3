package io.sbbf.spark.write

import java.io.File

import org.apache.spark.TaskContext
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.{DataFrame, SaveMode}

import io.sbbf.parquet.testing.{Faults, FaultyObjectStore}
import io.sbbf.spark.testing.SparkSuite

/** Whatever fails while files with exact filters are written, only complete files are visible. */
class WriteFaultsSuite extends SparkSuite {
  import WriteFaultsSuite._

  private val Rows = 20000

  /** The attempts of each task. */
  private val Attempts = 3

  override protected def settings: Map[String, String] = Map(
    "spark.master" -> s"local[2,$Attempts]",
    "spark.hadoop.fs.store.impl" -> classOf[FaultyObjectStore].getName
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.setLogLevel("OFF") // all failures are intended
  }

  private def keys: DataFrame = spark.range(0, Rows, 1, 2).selectExpr("xxhash64(id) AS key")

  private def write(rows: DataFrame, to: String, mode: SaveMode = SaveMode.ErrorIfExists): Unit =
    rows.write
      .mode(mode)
      .option("parquet.bloom.filter.enabled#key", "true")
      .option("parquet.block.size", 32 * 1024)
      .option("parquet.page.size", 8 * 1024)
      .parquet(to)

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
    test(s"tasks that fail in the middle run again, with $committer=$algorithm.") {
      withConf(conf)(write(failing(attempts = 2), path(s"again-$algorithm")))
      assertWhole(path(s"again-$algorithm"))
    }

    test(
      s"a task that ends before its job fails leaves complete files, with $committer=$algorithm.") {
      val folder = path(s"half-$algorithm")
      val isLate = udf { (key: Long, id: Long) =>
        if (id == 7000) {
          waitForCommit(folder)
          throw new IllegalStateException("killed when the other has ended")
        }
        key
      }
      val rows = spark.range(0, Rows, 1, 2).selectExpr("xxhash64(id) AS key", "id")
      val half = rows.select(isLate(col("key"), col("id")).as("key"))
      withConf(conf) {
        intercept[Exception](write(half, folder))
        // the second algorithm shows a task's files when the task ends
        assert(visible(folder).size == (if (algorithm == "1") 0 else 1))
        visible(folder).foreach { file =>
          assert(new WrittenFile(file).filter(0, "key").isDefined)
          assert(spark.read.parquet(file.getPath).distinct().count() == Rows / 2)
        }
        write(keys, folder, SaveMode.Overwrite)
      }
      assertWhole(folder)
    }

    test(s"a failed job leaves no visible file, with $committer=$algorithm.") {
      withConf(conf) {
        intercept[Exception](write(failing(attempts = 9), path(s"failed-$algorithm")))
        assert(visible(path(s"failed-$algorithm")).isEmpty)
        write(keys, path(s"failed-$algorithm"), SaveMode.Overwrite)
      }
      assertWhole(path(s"failed-$algorithm"))
    }
  }

  test("a disk that is full at any byte of a file leaves no visible file.") {
    write(keys.coalesce(1), path("measured"))
    val Seq(measured) = visible(path("measured"))
    val last = new WrittenFile(measured)
    val places =
      Seq(0L, 5L, measured.length / 2, last.firstFilter - 1, last.firstFilter + 5) ++
        Seq(measured.length - 100, measured.length - 1)
    for (place <- places) {
      Faults.during(new Faults { maxBytes = place })(
        intercept[Exception](write(keys.coalesce(1), faulty(s"full-$place"))))
      assert(visible(path(s"full-$place")).isEmpty, place)
    }
    write(keys, faulty("full-5"), SaveMode.Overwrite)
    assertWhole(path("full-5"))
  }

  for ((store, scheme, aborted) <- Seq(
      ("a disk", "faulty", 0),
      ("an object store", "store", Attempts)))
    test(s"no stream to $store stays open if its disk is full before the filters.") {
      write(keys.coalesce(1), path(s"measured-$scheme"))
      val Seq(measured) = visible(path(s"measured-$scheme"))
      val full = new Faults { maxBytes = new WrittenFile(measured).firstFilter + 5 }
      Faults.during(full)(
        intercept[Exception](write(keys.coalesce(1), s"$scheme://${path(s"full-$scheme")}")))
      assert(full.streams.get == 0 && full.aborted.get == aborted)
    }

  test("a file that the store rejects at first is written again.") {
    val faults = new Faults { failuresToClose.set(2) }
    Faults.during(faults)(write(keys, faulty("closed")))
    assert(faults.failuresToClose.get < 0)
    assertWhole(path("closed"))
  }

  test("a file that the store always rejects leaves no visible file.") {
    Faults.during(new Faults { failuresToClose.set(Int.MaxValue) })(
      intercept[Exception](write(keys, faulty("unclosed"))))
    assert(visible(path("unclosed")).isEmpty)
    write(keys, faulty("unclosed"), SaveMode.Overwrite)
    assertWhole(path("unclosed"))
  }
}

/** Helpers that functions in tasks need as well. */
private object WriteFaultsSuite {
  def visible(folder: String): Seq[File] =
    Option(new File(folder).listFiles).toSeq.flatten
      .filterNot(file => file.getName.startsWith(".") || file.getName.startsWith("_"))

  /** Waits until the files of a task are committed to its job or to the folder. */
  def waitForCommit(folder: String): Unit = {
    val job = new File(folder, "_temporary/0")
    val deadline = System.nanoTime + 60000000000L
    def isCommitted: Boolean =
      visible(folder).nonEmpty ||
        Option(job.listFiles).toSeq.flatten.exists(_.getName.startsWith("task_"))
    while (!isCommitted && System.nanoTime < deadline) Thread.sleep(20)
  }
}
