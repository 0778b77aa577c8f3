package io.sbbf.spark.append

import java.io.IOException

import scala.util.control.NonFatal

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.{LongAccumulator, SerializableConfiguration}
import org.apache.spark.{HashPartitioner, SparkException}

import io.sbbf.parquet.append.OrphanCleanup
import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.prune.FooterCache
import io.sbbf.spark.append.AddFiltersOutcome.Failed
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.location.TableLocation
import io.sbbf.spark.util.{ClosureBytes, ExecutorJar, TableFiles}
import io.sbbf.spark.write.TableSize

/**
 * Changes the bloom filters of existing files in Spark jobs: one that reads all footers, and then
 * one for each batch of files. If the files of a batch keep all cores busy, a task reads and
 * writes one file. Otherwise a task reads one row group.
 */
private[spark] final class AddFiltersJob(
    session: SparkSession,
    request: AddFiltersRequest,
    listener: AddFiltersJob.ProgressListener = AddFiltersJob.NoListener)
    extends Logging {
  import AddFiltersJob._
  import ClosureBytes._

  private val context = session.sparkContext
  private val hadoopConf = session.sessionState.newHadoopConf()
  private lazy val named = TableLocation.ofChange(request.table, session)
  private def path = named.name
  private lazy val files: Seq[FileStatus] = request.where.fold(named.files) { text =>
    val paths = named.filesWhere(text, session).map(_.getPath).toSet
    named.files.filter(file => paths(file.getPath))
  }
  private lazy val conf: Conf = context.broadcast(new SerializableConfiguration(hadoopConf))

  /**
   * Returns one outcome for each file, in the order of their paths. A failed or refused file does
   * not affect the others.
   *
   * @throws IllegalArgumentException before any file is changed, naming the mistake in the
   *   request
   * @throws IllegalStateException if executors do not have our classes
   * @throws org.apache.spark.SparkException if the jobs are cancelled
   */
  def run(): Seq[AddFiltersOutcome] = {
    ExecutorJar.require(context)
    if (!request.allowTableFormats) refuseTableFormats()
    named.refuseOrc(files, Instead)
    val (edits, planned) = plan()
    refuseMistakes(edits, planned)
    val (todo, settled) = planned.partition(_.todo.isDefined)
    val outcomes =
      if (request.dryRun) new AddFiltersEstimate(context, conf, todo).outcomes()
      else runBatches(todo)
    (settled.map(_.settled) ++ outcomes).sortBy(_.file)
  }

  private def refuseTableFormats(): Unit =
    for ((folder, kind) <- named.tableWithLogOf(files))
      throw new IllegalArgumentException(
        s"$path belongs to the $kind table $folder, which records the length of each file. " +
          "Its readers may fail on files that grew, or ignore the filters. " +
          "Use allow_table_formats only on copies outside the table." +
          Formats.lake(kind).fold("")(format => s" For the table, run ${format.howToChange}."))

  /**
   * Plans all files. An FPP may depend on the row groups of the table, which are known after all
   * footers are read. If the first estimate was wrong, the files are planned again.
   */
  private def plan(): (EditSpec, Seq[PlannedFile]) = {
    val guessed = request.edits(TableSize.estimated(files.size, files.map(_.getLen).sum))
    val planned = plan(guessed)
    val counted = request.edits(planned.map(_.rowGroups.toLong).sum)
    if (guessed.isLike(counted)) (guessed, planned) else (counted, plan(counted))
  }

  private def plan(wanted: EditSpec): Seq[PlannedFile] = {
    val shared = conf
    val slices = TableFiles.slices(files.size, context)
    stopIfCancelled()
    context
      .parallelize(files.map(file => ListedFile(FileVersion.of(file))), slices)
      .mapPartitions { some =>
        Iterator(pack(some.map(_.planned(wanted, shared.value.value)).toVector))
      }
      .collect()
      .toSeq
      .flatMap(unpack[Vector[PlannedFile]](_))
  }

  /** Throws the first mistake of the request, or names the columns that no file has. */
  private def refuseMistakes(edits: EditSpec, planned: Seq[PlannedFile]): Unit = {
    planned
      .flatMap(_.mistake)
      .headOption
      .foreach(text => throw new IllegalArgumentException(text))
    val readable = planned.flatMap(_.wanted)
    val missing = edits.columns.filterNot(column => readable.exists(_.contains(column)))
    if (readable.nonEmpty && missing.nonEmpty)
      throw TableFiles.withoutColumns(path, missing)
  }

  private def runBatches(todo: Seq[PlannedFile]): Seq[AddFiltersOutcome] = {
    try OrphanCleanup.remove(files.map(_.getPath), hadoopConf)
    catch {
      case e: IOException => // a file or folder that was deleted meanwhile must not stop the run
        logWarning(s"Not all temporary files of killed runs were removed: ${e.getClass.getName}")
    }
    val progress = new AddFiltersProgress(context, todo.map(_.work).sum, listener)
    val outcomes =
      try
        progress.during {
          todo.grouped(batchSize(todo.size)).toSeq.flatMap { batch =>
            stopIfCancelled()
            runOrReport(batch, progress.done)
          }
        }
      finally // even after a cancellation, as some files have changed by then
        FooterCache.shared.forget(todo.map(_.file.version.path).toSet)
    try named.refresh(session)
    catch {
      case NonFatal(e) => // the files have changed already
        logWarning(s"Cached data of $path was not refreshed: ${e.getClass.getName}")
    }
    outcomes
  }

  private def stopIfCancelled(): Unit =
    if (listener.isCancelled) throw new SparkException("the change of filters was cancelled")

  /**
   * Returns two percent of the files, but enough of them that cores which finish early do not
   * wait for long.
   */
  private def batchSize(files: Int): Int =
    math.min(LargestBatch, math.max(4 * context.defaultParallelism, files / 50))

  /**
   * Runs a batch. If the cluster loses its job, returns the state that each file is in, and the
   * next batch can run.
   */
  private def runOrReport(
      batch: Seq[PlannedFile],
      done: LongAccumulator): Seq[AddFiltersOutcome] =
    try runBatch(batch, done)
    catch {
      case e: SparkException if !listener.isCancelled && !isCancelled(e) =>
        batch.map { planned =>
          planned.file
            .doneBefore(planned.todo.get, hadoopConf)
            .getOrElse(planned.file.outcome(Failed, LostJob))
        }
    }

  private def runBatch(batch: Seq[PlannedFile], done: LongAccumulator): Seq[AddFiltersOutcome] =
    (if (isEven(batch.map(_.work))) byFile(batch, done) else byRowGroup(batch, done))
      .collect()
      .toSeq
      .map(unpack[AddFiltersOutcome](_))

  /** Whether no file keeps its core much longer than all cores need for the batch. */
  private def isEven(work: Seq[Long]): Boolean =
    work.max.toDouble * context.defaultParallelism <= 1.5 * work.sum

  /** Runs one task for each file, which copies the file while it reads the chunks. */
  private def byFile(batch: Seq[PlannedFile], done: LongAccumulator): RDD[Array[Byte]] = {
    val shared = conf
    context.parallelize(batch, batch.size).map { planned =>
      val outcome = planned.addFilters(shared.value.value)
      done.add(planned.work)
      pack(outcome)
    }
  }

  /**
   * Runs one task for each row group, which reads it, then one for each file, which writes it.
   */
  private def byRowGroup(batch: Seq[PlannedFile], done: LongAccumulator): RDD[Array[Byte]] = {
    val shared = conf
    val tasks = batch.zipWithIndex.flatMap { case (file, n) => file.tasks.map(n -> _) }
    context
      .parallelize(tasks, tasks.size)
      .flatMap { case (n, task) =>
        val found = task.filters(shared.value.value)
        done.add(task.bytes)
        found.map(n -> pack(_))
      }
      .groupByKey(new HashPartitioner(batch.size))
      .map { case (n, found) =>
        val filters = found.map(unpack[RowGroupTask.FilterResult](_))
        val outcome = batch(n).writeFilters(filters, shared.value.value)
        done.add(batch(n).file.length)
        pack(outcome)
      }
  }
}

private[spark] object AddFiltersJob {
  private[spark] type Conf = Broadcast[SerializableConfiguration]

  /** Observes and cancels a job from outside, on any thread. */
  trait ProgressListener {

    /** Receives the progress, also on threads of Spark. */
    def onProgress(doneBytes: Long, totalBytes: Long): Unit

    /** Whether the job must not begin another batch. */
    def isCancelled: Boolean
  }

  object NoListener extends ProgressListener {
    override def onProgress(doneBytes: Long, totalBytes: Long): Unit = ()
    override def isCancelled: Boolean = false
  }

  /** The most files of one job, which are the files that a failure of the cluster affects. */
  private final val LargestBatch = 256

  private final val Instead =
    ": filters of ORC files are written with the files, by the options " +
      "of bloom_options(format=\"orc\")"

  private final val LostJob = "its Spark job failed: see Spark's log, and run it again"

  private def isCancelled(e: SparkException): Boolean =
    Option(e.getMessage).exists(_.toLowerCase(java.util.Locale.ROOT).contains("cancelled"))
}
