package io.sbbf.spark.attach

import org.apache.hadoop.fs.Path
import org.apache.spark.HashPartitioner
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

import io.sbbf.parquet.attach.{LeftOvers, TableLog}
import io.sbbf.spark.inspect.TableFiles
import io.sbbf.spark.plan.ExecutorJar
import io.sbbf.spark.write.TableSize

/**
 * Changes the bloom filters of existing files, as Spark jobs: one that looks at all footers, and then for each
 * batch of files one whose first stage reads column chunks, a row group to a task, and whose second writes the
 * files.
 *
 * @param progress is told bytes done and bytes in all, from any thread
 */
private[spark] final class AttachJob(
    session: SparkSession,
    request: AttachRequest,
    progress: (Long, Long) => Unit = (_, _) => ()) {
  import AttachJob._
  import Packed._

  private val context = session.sparkContext
  private val hadoopConf = session.sessionState.newHadoopConf()
  private lazy val files = new TableFiles(request.path, hadoopConf).data
  private lazy val change =
    request.change(TableSize.estimated(files.size, files.map(_.getLen).sum))
  private lazy val conf: Conf = context.broadcast(new SerializableConfiguration(hadoopConf))
  private var bytesDone = 0L

  /**
   * One outcome for each file, in the order of their paths. A file that fails or is refused keeps no other from
   * its filters.
   *
   * @throws IllegalArgumentException before anything is done, naming what is wrong with the request
   * @throws IllegalStateException where executors do not have our classes
   */
  def run(): Seq[AttachOutcome] = {
    if (!ExecutorJar.isThere(context)) throw new IllegalStateException(ExecutorJar.missing)
    if (!request.force) refuseTablesWithLog()
    val planned = plan()
    refuseMistakes(planned)
    val (todo, settled) = planned.partition(_.todo.isDefined)
    val outcomes =
      if (request.dryRun) new AttachEstimate(context, conf, todo).outcomes()
      else changed(todo)
    (settled.map(_.settled) ++ outcomes).sortBy(_.file)
  }

  private def refuseTablesWithLog(): Unit = {
    val roots = TableFiles.roots(request.path, hadoopConf).map(_.getPath)
    for (root <- roots; kind <- TableLog.of(root, hadoopConf))
      throw new IllegalArgumentException(
        s"$root belongs to a $kind table, whose log knows the length of each file: its readers may fail on " +
          "files that grew. Filters are attached all the same with force")
  }

  private def plan(): Seq[PlannedFile] = {
    val (wanted, shared) = (change, conf)
    val slices = math.max(1, math.min(files.size, context.defaultParallelism * 4))
    context
      .parallelize(files.map(ListedFile(_)), slices)
      .map(file => pack(file.planned(wanted, shared.value.value)))
      .collect()
      .toSeq
      .map(unpack[PlannedFile](_))
  }

  /** A column that no file has is a mistake of the caller's too. */
  private def refuseMistakes(planned: Seq[PlannedFile]): Unit = {
    planned
      .flatMap(_.mistake)
      .headOption
      .foreach(text => throw new IllegalArgumentException(text))
    val readable = planned.filter(_.columns.nonEmpty)
    val missing = change.columns.filterNot(c => readable.exists(_.columns.contains(c)))
    if (readable.nonEmpty && missing.nonEmpty)
      throw new IllegalArgumentException(
        s"no file of ${request.path} has ${missing.map(c => s"'$c'").mkString(", ")}; nested columns are named by " +
          s"their Parquet path, as in 'tags.list.element'. The first file has ${readable.head.columns.mkString(", ")}")
  }

  private def changed(todo: Seq[PlannedFile]): Seq[AttachOutcome] = {
    LeftOvers.remove(todo.map(f => new Path(f.file.path).getParent).distinct, hadoopConf)
    val all = todo.map(_.work).sum
    progress(0, all)
    val outcomes = todo.grouped(Batch).toSeq.flatMap { batch =>
      val done = changeBatch(batch)
      bytesDone += batch.map(_.work).sum
      progress(bytesDone, all)
      done
    }
    session.catalog.refreshByPath(request.path)
    outcomes
  }

  private def changeBatch(batch: Seq[PlannedFile]): Seq[AttachOutcome] = {
    val (wanted, shared) = (change, conf)
    val units = batch.zipWithIndex.flatMap { case (file, n) => file.units.map(n -> _) }
    context
      .parallelize(units, units.size)
      .map { case (n, unit) => n -> pack(unit.filters(shared.value.value)) }
      .groupByKey(new HashPartitioner(batch.size))
      .map { case (n, found) =>
        val filters = found.toSeq.map(unpack[AttachUnit.Filters](_))
        pack(batch(n).changed(filters, wanted, shared.value.value))
      }
      .collect()
      .toSeq
      .map(unpack[AttachOutcome](_))
  }
}

private[attach] object AttachJob {
  type Conf = Broadcast[SerializableConfiguration]

  /** Files of one job: what one loses to a trouble of the cluster's, and the steps of the progress. */
  private final val Batch = 256
}
