package io.sbbf.spark.append

import java.io.IOException

import org.apache.hadoop.conf.Configuration

import io.sbbf.parquet.append.{FilePlan, FilterAppender, NewFilters}
import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.append.AddFiltersOutcome.{Done, Unchanged}

/**
 * @param wanted which of the columns that are asked for the file has, if its schema could be read
 * @param mistake what is wrong with the edits themselves, as the file's schema shows
 * @param plan what is to be done, or what there is to say of the file already
 */
private[spark] final case class PlannedFile(
    file: ListedFile,
    wanted: Option[Seq[String]],
    mistake: Option[String],
    plan: Either[AddFiltersOutcome, FilePlan]) {

  /** What there is to do, if anything. */
  def todo: Option[FilePlan] = plan.toOption.filterNot(_.isNothing)

  /** Of a file with nothing to do. */
  def settled: AddFiltersOutcome = plan.fold(identity, unchanged)

  /** At least one of a file that tells nothing. */
  def rowGroups: Int = plan.fold(_ => 1, _.rowGroups)

  /** Bytes to read and to write. */
  def work: Long = todo.fold(0L)(_.bytesToRead + file.length)

  /** What one task reads: the chunks of a row group, or nothing where filters are only dropped. */
  def tasks: Seq[RowGroupTask] = todo.toSeq.flatMap { plan =>
    val byRowGroup = plan.chunks.groupBy(_.rowGroup).values.toSeq
    (if (byRowGroup.isEmpty) Seq(Nil) else byRowGroup).map(RowGroupTask(file, _))
  }

  /** Reads its chunks and writes it. */
  def attach(conf: Configuration): AddFiltersOutcome =
    outcome(conf)(plan => _.attach(plan.chunks, plan.dropped))

  /** Writes it with what all its tasks found. */
  def writeFilters(
      found: Iterable[RowGroupTask.FilterResult],
      conf: Configuration): AddFiltersOutcome =
    outcome(conf) { plan =>
      found.collectFirst { case Left(trouble) => throw new IOException(trouble) }
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
          (System.nanoTime - start) / 1e9)
      }
    catch {
      case RecoverableError.OfFile(e) => file.doneBefore(plan, conf).getOrElse(file.failed(e))
    }
  }

  private def unchanged(plan: FilePlan): AddFiltersOutcome =
    file.outcome(Unchanged, "").copy(rowGroups = plan.rowGroups)
}
