package io.sbbf.spark.files

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.util.Failure

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.{SimpleFutureAction, SparkContext, TaskContext}

import io.sbbf.parquet.model.{FileVersion, RecoverableError}
import io.sbbf.parquet.pass.FileTasks
import io.sbbf.spark.read.BroadcastConfCache
import io.sbbf.spark.util.{CancelledJob, ClosureBytes, ExecutorJar, LogOnce, SbbfConf, TableFiles}

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
      !hasJustFailed(context) && ExecutorJar.isThere(context)

  override def run[A](
      files: IndexedSeq[FileVersion],
      work: FileTasks.Work[A],
      isTooSlow: Int => Boolean)(receive: (Int, IndexedSeq[A]) => Unit): Unit = {
    val maxBytes = ResultBudget.reserve(mostBytes)
    try await(files, work, maxBytes / files.size, isTooSlow)(receive)
    catch {
      case RecoverableError(e) if CancelledJob.is(e, context) =>
        throw new InterruptedException("the job that reads footers was cancelled").initCause(e)
      case RecoverableError(e) =>
        pause()
        LogOnce.once(
          s"footers: ${e.getClass.getName}",
          "a job that reads footers on executors failed, so the driver reads them",
          e)
    } finally ResultBudget.release(maxBytes)
  }

  private def await[A](
      files: IndexedSeq[FileVersion],
      work: FileTasks.Work[A],
      bytesPerFile: Long,
      isTooSlow: Int => Boolean)(receive: (Int, IndexedSeq[A]) => Unit): Unit = {
    val perTask = filesPerTask(files.size)
    // bytes, because Spark's serializer may refuse our classes
    val parts = files.grouped(perTask).map(ClosureBytes.pack(_)).toIndexedSeq
    val rdd = context.parallelize(parts, parts.size)
    val arrived = new LinkedBlockingQueue[(Int, Array[Byte])]
    val start = new TaskStart(rdd)
    context.addSparkListener(start)
    try {
      val job = submit(rdd, files.size, bytesPerFile, work, arrived)
      // Tasks that run together end together, so those that run count as done.
      val atOnce = perTask * context.defaultParallelism
      try
        receiveAll(
          job,
          arrived,
          start,
          done => isTooSlow(if (done == 0) 0 else math.min(files.size, done + atOnce))) {
          (task, packed) =>
            val results = ClosureBytes.unpack[IndexedSeq[A]](packed)
            receive(task * perTask, results)
            results.size
        }
      finally if (!job.isCompleted) job.cancel()
    } finally context.removeSparkListener(start)
  }

  /**
   * Returns when the job has ended, or is to be cancelled.
   *
   * @param isTooSlow returns whether to stop when so many files are done
   * @param receive gets the number and the packed results of a task; returns how many these are
   */
  private def receiveAll(
      job: SimpleFutureAction[Unit],
      arrived: LinkedBlockingQueue[(Int, Array[Byte])],
      start: TaskStart,
      isTooSlow: Int => Boolean)(receive: (Int, Array[Byte]) => Int): Unit = {
    val until = System.nanoTime + TimeUnit.SECONDS.toNanos(MostSecondsToStart)
    var done = 0
    def hasStarted = done > 0 || start.happened || System.nanoTime - until < 0
    def drain(first: (Int, Array[Byte])): Unit = {
      var next = first
      while (next != null) {
        done += receive(next._1, next._2)
        next = arrived.poll()
      }
    }
    // the last results arrive before the job is complete
    while (!(job.isCompleted && arrived.isEmpty) && !isTooSlow(done) && hasStarted)
      drain(arrived.poll(PollMillis, TimeUnit.MILLISECONDS))
    drain(arrived.poll())
    if (!hasStarted) {
      pause()
      LogOnce.once(
        "footers: not started",
        s"a job that reads footers did not start within $MostSecondsToStart seconds, " +
          "so the driver reads them")
    }
    job.value.foreach { case Failure(e) => throw e; case _ => () }
  }

  /** @param arrived gets the number and the packed results of each task */
  private def submit[A](
      parts: RDD[Array[Byte]],
      numFiles: Int,
      bytesPerFile: Long,
      work: FileTasks.Work[A],
      arrived: LinkedBlockingQueue[(Int, Array[Byte])]): SimpleFutureAction[Unit] = {
    val conf = BroadcastConfCache.of(context, hadoopConf)
    val read = (some: Iterator[Array[Byte]]) => {
      val files = ClosureBytes.unpack[IndexedSeq[FileVersion]](some.next())
      ClosureBytes.pack(work(files, conf.value.value, bytesPerFile * files.size))
    }
    withProperties(
      Description -> s"spark-sbbf: reads footers of $numFiles files",
      InterruptOnCancel -> "true") {
      context.submitJob[Array[Byte], Array[Byte], Unit](
        parts,
        read,
        0 until parts.getNumPartitions,
        (task, packed) => arrived.put((task, packed)),
        ())
    }
  }

  /** Runs `body` with these local properties of the calling thread. */
  private def withProperties[T](entries: (String, String)*)(body: => T): T = {
    val before = entries.map { case (key, _) => key -> context.getLocalProperty(key) }
    def set(all: Seq[(String, String)]): Unit =
      all.foreach { case (key, value) => context.setLocalProperty(key, value) }
    set(entries)
    try body
    finally set(before)
  }

  /** Lets the driver read the files of the next scans. */
  private def pause(): Unit =
    lastFailure = Some((context.applicationId, System.nanoTime))

  private def filesPerTask(files: Int): Int = {
    val slices = TableFiles.slices(files, context)
    math.max(FewestFilesOfTask, math.min(MostFilesOfTask, (files + slices - 1) / slices))
  }

  /**
   * Returns the most bytes of files that the results of all jobs may hold. Results wait in memory
   * beside the cache, and the other half of Spark's limit is left to the rest of them.
   */
  private def mostBytes: Long = {
    val results = context.getConf.getSizeAsBytes("spark.driver.maxResultSize", "1g")
    (if (results == 0) cacheBytes else math.min(cacheBytes, results)) / 2
  }
}

private[spark] object FootersJob {

  /** Returns the jobs for a scan of files, with the settings of the session that plans the query. */
  def of(files: HadoopFsRelation, hadoopConf: Configuration, conf: SQLConf): FootersJob =
    new FootersJob(
      files.sparkSession.sparkContext,
      hadoopConf,
      SbbfConf.DistributedFiles.get(conf),
      SbbfConf.limits(conf).cacheBytes)

  /** A setting of the application, for tests: whether jobs are also run in local mode. */
  final val InLocalMode = "spark.sbbf.testing.jobsInLocalMode"

  /** Scheduling a smaller task takes longer than its reads. */
  private final val FewestFilesOfTask = 16

  /** Smaller tasks return results sooner, which show how long the job takes. */
  private final val MostFilesOfTask = 128

  /** A query does not wait longer for a cluster that is busy, or has no executors. */
  private final val MostSecondsToStart = 3

  /** After a job failed or did not start, the driver reads the files of the next scans, for so many minutes. */
  private final val MinutesAfterFailure = 5

  private final val PollMillis = 100L

  /** `SparkContext.SPARK_JOB_DESCRIPTION` */
  private final val Description = "spark.job.description"

  /** `SparkContext.SPARK_JOB_INTERRUPT_ON_CANCEL` */
  private final val InterruptOnCancel = "spark.job.interruptOnCancel"

  /** The application whose job failed last, and when (`System.nanoTime`). */
  @volatile private var lastFailure = Option.empty[(String, Long)]

  private def hasJustFailed(context: SparkContext): Boolean = lastFailure.exists {
    case (application, at) =>
      application == context.applicationId &&
      System.nanoTime - at < TimeUnit.MINUTES.toNanos(MinutesAfterFailure)
  }

  /** Lets the next scan run a job again, for tests. */
  private[spark] def forgetFailure(): Unit = lastFailure = None
}
