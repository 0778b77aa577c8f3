package io.sbbf.spark.append

import java.io.IOException

import scala.util.control.NonFatal

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.{LongAccumulator, SerializableConfiguration}
import org.apache.spark.{HashPartitioner, SparkException}

import io.sbbf.parquet.append.{OrphanCleanup, TableFormatDetector}
import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.prune.FooterCache
import io.sbbf.spark.append.AddFiltersOutcome.Failed
import io.sbbf.spark.util.{ClosureBytes, ExecutorJar, TableFiles}
import io.sbbf.spark.write.TableSize

/**
 * Changes the bloom filters of existing files, as Spark jobs: one that looks at all footers, and then one for each
 * batch of files. Where these keep all cores busy a task reads and writes a file, otherwise one reads a row group.
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
  private lazy val found = new TableFiles(request.path, hadoopConf)
  private def files = found.data
  private lazy val conf: Conf = context.broadcast(new SerializableConfiguration(hadoopConf))

  /**
   * One outcome for each file, in the order of their paths. A file that fails or is refused keeps no other from
   * its filters.
   *
   * @throws IllegalArgumentException before anything is done, naming what is wrong with the request
   * @throws IllegalStateException where executors do not have our classes
   * @throws org.apache.spark.SparkException when the jobs are cancelled
   */
  def run(): Seq[AddFiltersOutcome] = {
    ExecutorJar.require(context)
    if (!request.force) refuseTablesWithLog()
    val (edits, planned) = plan()
    refuseMistakes(edits, planned)
    val (todo, settled) = planned.partition(_.todo.isDefined)
    val outcomes =
      if (request.dryRun) new AddFiltersEstimate(context, conf, todo).outcomes()
      else runBatches(todo)
    (settled.map(_.settled) ++ outcomes).sortBy(_.file)
  }

  private def refuseTablesWithLog(): Unit = {
    val roots = TableFiles.roots(request.path, hadoopConf)
    for ((folder, kind) <- TableFormatDetector
        .of(roots, hadoopConf, files)
        .orElse(found.tableWithLog))
      throw new IllegalArgumentException(
        s"${request.path} belongs to the $kind table $folder, whose log knows the length of each file: its " +
          "readers may fail on files that grew, or overlook the filters. They are attached all the same with force")
  }

  /** Where an FPP is by the table's row groups, they are known when all footers have been looked at. */
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

  /** A column that no file has is a mistake of the caller's too. */
  private def refuseMistakes(edits: EditSpec, planned: Seq[PlannedFile]): Unit = {
    planned
      .flatMap(_.mistake)
      .headOption
      .foreach(text => throw new IllegalArgumentException(text))
    val readable = planned.flatMap(_.wanted)
    val missing = edits.columns.filterNot(column => readable.exists(_.contains(column)))
    if (readable.nonEmpty && missing.nonEmpty)
      throw TableFiles.withoutColumns(request.path, missing)
  }

  private def runBatches(todo: Seq[PlannedFile]): Seq[AddFiltersOutcome] = {
    try OrphanCleanup.remove(files.map(_.getPath), hadoopConf)
    catch {
      case e: IOException => // a file or folder that went meanwhile is no reason not to begin
        logWarning(s"What killed runs left was not all removed: ${e.getClass.getName}")
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
      finally // also where it was cancelled: some files are changed by then
        FooterCache.shared.forget(todo.map(_.file.version.path).toSet)
    try session.catalog.refreshByPath(request.path)
    catch {
      case NonFatal(e) => // the files are done
        logWarning(s"What is cached of ${request.path} was not refreshed: ${e.getClass.getName}")
    }
    outcomes
  }

  private def stopIfCancelled(): Unit =
    if (listener.isCancelled) throw new SparkException("attach was cancelled")

  /** In steps of two percent, with work enough that cores which are done early do not wait for long. */
  private def batchSize(files: Int): Int =
    math.min(LargestBatch, math.max(4 * context.defaultParallelism, files / 50))

  /** Where the cluster loses a job, the batch's files are what they are, and the next batch is tried. */
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

  /** Whether no file keeps its core much longer than all cores need together. */
  private def isEven(work: Seq[Long]): Boolean =
    work.max.toDouble * context.defaultParallelism <= 1.5 * work.sum

  /** A task for each file, which is copied while its chunks are read. */
  private def byFile(batch: Seq[PlannedFile], done: LongAccumulator): RDD[Array[Byte]] = {
    val shared = conf
    context.parallelize(batch, batch.size).map { planned =>
      val outcome = planned.attach(shared.value.value)
      done.add(planned.work)
      pack(outcome)
    }
  }

  /** A task for each row group, to read it, then one for each file, to write it. */
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

  /** What looks at a job from outside, from any thread. */
  trait ProgressListener {

    /** Called on threads of Spark's, too. */
    def onProgress(doneBytes: Long, totalBytes: Long): Unit

    /** Whether no more batches are to begin. */
    def isCancelled: Boolean
  }

  private object NoListener extends ProgressListener {
    override def onProgress(doneBytes: Long, totalBytes: Long): Unit = ()
    override def isCancelled: Boolean = false
  }

  /** Files of one job, which is what one loses to a trouble of the cluster's. */
  private final val LargestBatch = 256

  private final val LostJob = "the job with its tasks failed; Spark's log tells why"

  private def isCancelled(e: SparkException): Boolean =
    Option(e.getMessage).exists(_.toLowerCase(java.util.Locale.ROOT).contains("cancelled"))
}
