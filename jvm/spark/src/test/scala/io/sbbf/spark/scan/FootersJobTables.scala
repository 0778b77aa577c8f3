package io.sbbf.spark.scan

import java.io.File
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.control.ControlThrowable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator
import org.apache.spark.sql.DataFrame

import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.pass.FileTasks
import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.parquet.testing.Faults
import io.sbbf.spark.files.FootersJob
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.SbbfConf

/** Provides a cold table whose files Spark jobs read, and jobs that wait. */
abstract class FootersJobTables extends SparkSuite {
  import FootersJobTables._

  override protected def settings: Map[String, String] = SparkSuite.Interpreted ++ Map(
    FootersJob.InLocalMode -> "true",
    SbbfConf.DistributedFiles.key -> "10",
    SbbfConf.SampleFiles.key -> SampleFiles.toString)

  protected lazy val table: String = {
    val rows = spark
      .range(0, NumFiles * 100L, 1, NumFiles)
      .selectExpr("id", "xxhash64(id) AS k", "IF(id % 9 = 0, NULL, id % 700) AS few")
    saved("many", rows, filterOptions(Seq("k"), ndv = 100))
    // modified long ago, so that the cache may return their evidence
    new File(path("many")).listFiles.foreach(_.setLastModified(1000000L))
    faulty("many")
  }

  protected def read(condition: String): DataFrame =
    spark.read.schema("id bigint, k bigint, few bigint").parquet(table).where(condition)

  protected def key(id: Int): String = s"k = ${xxhash(id)}"

  protected def xxhash(id: Int): Long =
    spark.range(id.toLong, id + 1L).selectExpr("xxhash64(id)").head().getLong(0)

  /** Returns what planning does to a query, with an empty cache. */
  protected def cold(condition: String): ScanPruning = {
    table
    FooterCache.shared.clear()
    pruning(read(condition)).get
  }

  protected def isInTask: Boolean =
    Thread.currentThread.getStackTrace.exists(_.getClassName.contains("PruneTask"))

  /** Runs `body` while the store does `inTask` whenever a task opens a file. */
  protected def opening[T](inTask: Path => Boolean)(body: => T): T = {
    table
    FooterCache.shared.clear()
    Faults.during(new Faults { refuses = (p: Path) => isInTask && inTask(p) })(body)
  }

  protected def quietly[T](body: => T): T = {
    Configurator.setLevel("org.apache.spark", Level.OFF)
    try body
    finally Configurator.setLevel("org.apache.spark", Level.ERROR)
  }

  /** Returns the limits of bytes of the tasks of a job, and calls `receive` for each of them. */
  protected def limits(files: Int, isTooSlow: Int => Boolean = _ => false)(
      receive: Int => Unit): Set[Long] = {
    val job = new FootersJob(spark.sparkContext, new Configuration(false), 10, 1L << 30)
    val versions = (0 until files).map(i => FileVersion(new Path(s"file:/$i"), 1L, 1L))
    var limits = Set.empty[Long]
    job.run(versions, new Limits, isTooSlow) { (_, results) =>
      limits ++= results
      receive(results.size)
    }
    limits
  }
}

object FootersJobTables {
  private[scan] val NumFiles = 60
  private[scan] val SampleFiles = 4
  private[scan] val Description = "spark.job.description"

  /** Not an error that pruning survives, so it fails the task. */
  private[scan] final class TaskKilled extends ControlThrowable

  /** For tasks, which run in this JVM. */
  @volatile private[scan] var anyJob: FootersJob = _
  @volatile private[scan] var gate: Gate = _
  @volatile private[scan] var atTask = (_: IndexedSeq[FileVersion]) => ()

  /** Counts threads that begin to wait. */
  private[scan] final class Gate(threads: Int) {
    val begun = new CountDownLatch(threads)
    val released = new CountDownLatch(1)
    def pass(): Unit = { begun.countDown(); released.await(60, TimeUnit.SECONDS); () }
  }

  /** Returns the limit of bytes of the task, for each file. */
  private[scan] final class Limits extends FileTasks.Work[Long] {
    override def apply(
        files: IndexedSeq[FileVersion],
        conf: Configuration,
        maxBytes: Long): IndexedSeq[Long] = {
      atTask(files)
      files.map(_ => maxBytes)
    }
  }
}
