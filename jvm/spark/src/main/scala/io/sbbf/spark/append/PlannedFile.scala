package io.sbbf.spark.append

import java.io.IOException

import org.apache.hadoop.conf.Configuration

import io.sbbf.parquet.append.{FilePlan, FilterAppender, NewFilters}
import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.append.AddFiltersOutcome.{Done, Unchanged}

/**
 * A file and the change that is planned for it.
 *
 * @param wanted the requested columns that the file has, if its schema could be read
 * @param mistake the mistake in the request itself, as the file's schema shows
 * @param plan the change, or the outcome if it is known without one
 */
private[spark] final case class PlannedFile(
    file: ListedFile,
    wanted: Option[Seq[String]],
    mistake: Option[String],
    plan: Either[AddFiltersOutcome, FilePlan]) {

  /** The plan, unless there is nothing to do. */
  def todo: Option[FilePlan] = plan.toOption.filterNot(_.isNothing)

  /** The outcome of a file with nothing to do. */
  def settled: AddFiltersOutcome = plan.fold(identity, unchanged)

  /** The row groups of the file; one if it has no plan. */
  def rowGroups: Int = plan.fold(_ => 1, _.rowGroups)

  /** The bytes to read and to write. */
  def work: Long = todo.fold(0L)(_.bytesToRead + file.length)

  /** One task for each row group, or one without chunks if filters are only dropped. */
  def tasks: Seq[RowGroupTask] = todo.toSeq.flatMap { plan =>
    val byRowGroup = plan.chunks.groupBy(_.rowGroup).values.toSeq
    (if (byRowGroup.isEmpty) Seq(Nil) else byRowGroup).map(RowGroupTask(file, _))
  }

  /** Reads the chunks and writes the file. */
  def addFilters(conf: Configuration): AddFiltersOutcome =
    outcome(conf)(plan => _.addFilters(plan.chunks, plan.dropped))

  /** Writes the file with the filters of all its tasks. */
  def writeFilters(
      found: Iterable[RowGroupTask.FilterResult],
      conf: Configuration): AddFiltersOutcome =
    outcome(conf) { plan =>
      found.collectFirst { case Left(reason) => throw new IOException(reason) }
      val filters = found.iterator.collect { case Right(Some(filter)) => filter }
      _.rewrite(filters, plan.dropped)
    }

  private def outcome(conf: Configuration)(
      work: FilePlan => FilterAppender => Option[NewFilters]): AddFiltersOutcome = {
    val plan = todo.get
    val start = System.nanoTime
    try
      work(plan)(file.open(conf)).fold(unchanged(plan)) { made =>
        AddFiltersOutcome(
          file.path,
          Done,
          "",
          plan.rowGroups,
          made.count,
          made.filterBytes,
          plan.bytesToRead,
          made.bytes,
          (System.nanoTime - start) / 1e9,
          plan.hasOffsetIndexes
        )
      }
    catch {
      case RecoverableError.OfFile(e) => file.doneBefore(plan, conf).getOrElse(file.failed(e))
    }
  }

  private def unchanged(plan: FilePlan): AddFiltersOutcome =
    file
      .outcome(Unchanged, "")
      .copy(rowGroups = plan.rowGroups, hasOffsetIndexes = plan.hasOffsetIndexes)
}
