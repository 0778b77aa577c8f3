package io.sbbf.spark.scan

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.util.Failure

import org.apache.hadoop.conf.Configuration
import org.apache.spark.{SimpleFutureAction, SparkContext, TaskContext}

import io.sbbf.parquet.model.{FileVersion, Interruption, RecoverableError}
import io.sbbf.parquet.pass.FileTasks
import io.sbbf.spark.read.BroadcastConfCache
import io.sbbf.spark.util.{ClosureBytes, ExecutorJar, LogOnce, TableFiles}

/**
 * Reads the files of a scan on executors, as one Spark job. The job has the local properties of the
 * calling thread, so whatever cancels the query's jobs also cancels this one, and with it the query.
 *
 * @param minFiles the fewest files for which a job is run; 0 runs none
 * @param cacheBytes the largest size of the driver's cache
 */
private[spark] final class FootersJob(
    context: SparkContext,
    hadoopConf: Configuration,
    minFiles: Int,
    cacheBytes: Long)
    extends FileTasks {
  import FootersJob._

  /** In local mode tasks are threads of the driver, which has its own threads to read files. */
  override def canRead(files: Int): Boolean =
    minFiles > 0 && files >= minFiles && !context.isStopped && TaskContext.get() == null &&
      (!context.isLocal || context.getConf.getBoolean(InLocalMode, defaultValue = false)) &&
      ExecutorJar.isThere(context)

  override def run[A](
      files: IndexedSeq[FileVersion],
      work: FileTasks.Work[A],
      isTooSlow: Int => Boolean)(receive: (Int, IndexedSeq[A]) => Unit): Unit =
    try await(files, work, isTooSlow)(receive)
    catch {
      case RecoverableError(e) if isCancelled(e) =>
        throw new InterruptedException("the job that reads footers was cancelled")
      case RecoverableError(e) if !Interruption.is(e) =>
        LogOnce.once(
          s"footers: ${e.getClass.getName}",
          "a job that reads footers on executors failed, so the driver reads them",
          e)
    }

  private def await[A](
      files: IndexedSeq[FileVersion],
      work: FileTasks.Work[A],
      isTooSlow: Int => Boolean)(receive: (Int, IndexedSeq[A]) => Unit): Unit = {
    val perTask = filesPerTask(files.size)
    val arrived = new LinkedBlockingQueue[(Int, Array[Byte])]
    val job =
      submit(files.grouped(perTask).toIndexedSeq, maxBytes / files.size, work, arrived)
    try {
      var done = 0
      // the last results arrive before the job is complete
      while (!(job.isCompleted && arrived.isEmpty) && !isTooSlow(done)) {
        val next = arrived.poll(PollMillis, TimeUnit.MILLISECONDS)
        if (next != null) {
          val results = ClosureBytes.unpack[IndexedSeq[A]](next._2)
          receive(next._1 * perTask, results)
          done += results.size
        }
      }
      job.value.foreach { case Failure(e) => throw e; case _ => () }
    } finally if (!job.isCompleted) job.cancel()
  }

  /** @param arrived gets the number and the packed results of each task */
  private def submit[A](
      parts: IndexedSeq[IndexedSeq[FileVersion]],
      bytesPerFile: Long,
      work: FileTasks.Work[A],
      arrived: LinkedBlockingQueue[(Int, Array[Byte])]): SimpleFutureAction[Unit] = {
    val conf = BroadcastConfCache.of(context, hadoopConf)
    val read = (some: Iterator[IndexedSeq[FileVersion]]) => {
      val files = some.next()
      ClosureBytes.pack(work(files, conf.value.value, bytesPerFile * files.size))
    }
    val before = context.getLocalProperty(Description)
    context.setLocalProperty(
      Description,
      s"spark-sbbf: reads footers of ${parts.map(_.size).sum} files")
    try
      context.submitJob[IndexedSeq[FileVersion], Array[Byte], Unit](
        context.parallelize(parts, parts.size),
        read,
        parts.indices,
        (task, packed) => arrived.put((task, packed)),
        ())
    finally context.setLocalProperty(Description, before)
  }

  /** A stopped context cancels its jobs with a similar message. */
  private def isCancelled(e: Throwable): Boolean =
    !context.isStopped && String.valueOf(e.getMessage).matches(Cancelled)

  private def filesPerTask(files: Int): Int = {
    val slices = TableFiles.slices(files, context)
    math.min(MostFilesOfTask, (files + slices - 1) / slices)
  }

  /**
   * Returns the most bytes of files that the results of a job may hold. Results wait in memory beside
   * the cache, and the other half of Spark's limit is left to the rest of them.
   */
  private def maxBytes: Long = {
    val results = context.getConf.getSizeAsBytes("spark.driver.maxResultSize", "1g")
    (if (results == 0) cacheBytes else math.min(cacheBytes, results)) / 2
  }
}

private[spark] object FootersJob {

  /** A setting of the application, for tests: whether jobs are also run in local mode. */
  final val InLocalMode = "spark.sbbf.testing.jobsInLocalMode"

  /** Smaller tasks return results sooner, which show how long the job takes. */
  private final val MostFilesOfTask = 128

  private final val PollMillis = 100L

  /** `SparkContext.SPARK_JOB_DESCRIPTION` */
  private final val Description = "spark.job.description"

  /** The message of a cancelled job from Spark 4 on, and in Spark 3.5. */
  private val Cancelled = """(?s)\[SPARK_JOB_CANCELLED\].*|Job \d+ cancelled .*"""
}
