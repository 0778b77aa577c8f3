package io.sbbf.spark.attach

import java.io.IOException

import org.apache.hadoop.conf.Configuration

import io.sbbf.parquet.FileFailure
import io.sbbf.parquet.attach.FilePlan
import io.sbbf.parquet.write.ChunkFilter
import io.sbbf.spark.attach.AttachOutcome.{Done, Failed, Unchanged}

/**
 * @param wanted which of the columns that are asked for the file has, if its schema could be read
 * @param mistake what is wrong with the edits themselves, as the file's schema shows
 * @param plan what is to be done, or what there is to say of the file already
 */
private[attach] final case class PlannedFile(
    file: ListedFile,
    wanted: Option[Seq[String]],
    mistake: Option[String],
    plan: Either[AttachOutcome, FilePlan]) {

  /** What there is to do, if anything. */
  def todo: Option[FilePlan] = plan.toOption.filterNot(_.isNothing)

  /** Of a file with nothing to do. */
  def settled: AttachOutcome = plan.fold(identity, unchanged)

  /** At least one of a file that tells nothing. */
  def rowGroups: Int = plan.fold(_ => 1, _.rowGroups)

  /** Bytes to read and to write. */
  def work: Long = todo.fold(0L)(_.bytesToRead + file.length)

  /** What one task reads: the chunks of a row group, or nothing where filters are only dropped. */
  def tasks: Seq[RowGroupTask] = todo.toSeq.flatMap { plan =>
    val byRowGroup = plan.chunks.groupBy(_.rowGroup).values.toSeq
    (if (byRowGroup.isEmpty) Seq(Nil) else byRowGroup).map(RowGroupTask(file, _))
  }

  /** With what all its tasks found. */
  def writeFilters(
      found: Iterable[RowGroupTask.FilterResult],
      conf: Configuration): AttachOutcome = {
    val filters = found.collect { case Right(Some(filter)) => filter }.toSeq
    val trouble = found.collectFirst { case Left(trouble) => new IOException(trouble) }
    try trouble.fold(rewritten(todo.get, filters, conf))(throw _)
    catch {
      case FileFailure(e) =>
        // of chunks that could not be read nobody knows whether they would have a filter
        val chunks = if (trouble.isEmpty) filters.map(_.chunk) else todo.get.chunks.map(_.chunk)
        if (file.isDone(chunks, todo.get.dropped, conf)) file.done(chunks)
        else file.outcome(Failed, AttachOutcome.reason(file.path, e))
    }
  }

  private def rewritten(
      plan: FilePlan,
      filters: Seq[ChunkFilter],
      conf: Configuration): AttachOutcome =
    if (filters.isEmpty && plan.dropped.isEmpty) unchanged(plan) // too few values for any
    else {
      val start = System.nanoTime
      val bytes = file.open(conf).rewrite(filters, plan.dropped.toSet)
      AttachOutcome(
        file.path,
        Done,
        "",
        plan.rowGroups,
        filters.size,
        filters.map(_.bitset.length.toLong).sum,
        plan.bytesToRead,
        bytes,
        (System.nanoTime - start) / 1e9)
    }

  private def unchanged(plan: FilePlan): AttachOutcome =
    file.outcome(Unchanged, "").copy(rowGroups = plan.rowGroups)
}
