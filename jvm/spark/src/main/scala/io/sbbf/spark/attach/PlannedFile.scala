package io.sbbf.spark.attach

import java.io.IOException

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.schema.MessageType

import io.sbbf.parquet.attach.{AttachableFile, FilePlan, FilterWish}
import io.sbbf.parquet.write.ChunkFilter
import io.sbbf.parquet.{FileVersion, UnusableFile}
import io.sbbf.spark.FileFailure
import io.sbbf.spark.attach.AttachOutcome.{Done, Failed, Refused, Unchanged}

/** A file as it was listed, for tasks that may run later, and twice. */
private[attach] final case class ListedFile(version: FileVersion) {
  def path: String = version.path.toString
  def length: Long = version.length

  /** @throws java.io.IOException when it is another file now */
  def open(conf: Configuration): AttachableFile = {
    val now = statusNow(conf)
    if (FileVersion.of(now) != version) throw new IOException(s"$path has changed meanwhile")
    new AttachableFile(now, conf)
  }

  /** What is to be done to it, or why nothing can be. */
  def planned(change: FilterChange, conf: Configuration): PlannedFile = {
    var columns = Option.empty[Seq[String]]
    var mistake = Option.empty[String]
    def wish(schema: MessageType): FilterWish = {
      columns = Some(schema.getPaths.asScala.toSeq.map(_.mkString(".")))
      try change.wish(schema)
      catch {
        case e: IllegalArgumentException =>
          mistake = Some(e.getMessage)
          throw e
      }
    }
    val found =
      try Right(open(conf).plan(wish))
      catch {
        case e: UnusableFile => Left(outcome(Refused, e.reason))
        case FileFailure(e) => Left(outcome(Failed, AttachOutcome.reason(path, e)))
      }
    val wanted = columns.map(change.columns.intersect)
    val isStranger = change.columns.nonEmpty && wanted.exists(_.isEmpty)
    val plan =
      if (isStranger && found.isRight) Left(outcome(Unchanged, "has none of the columns"))
      else found
    PlannedFile(this, wanted, mistake, plan)
  }

  def outcome(status: AttachOutcome.Status, reason: String): AttachOutcome =
    AttachOutcome(path, status, reason)

  /**
   * Whether it has become what it was to become, with filters for these chunks: a task that is run again meets its
   * own work.
   */
  def isDone(chunks: Seq[(Int, Int)], change: FilterChange, conf: Configuration): Boolean =
    try {
      val now = statusNow(conf)
      now.getLen > length && {
        val left = new AttachableFile(now, conf).plan(change.kept.wish)
        left.gone.isEmpty && left.chunks.map(_.chunk).intersect(chunks).isEmpty
      }
    } catch { case FileFailure(_) => false }

  private def statusNow(conf: Configuration): FileStatus =
    version.path.getFileSystem(conf).getFileStatus(version.path)
}

/**
 * @param wanted which of the columns that are asked for the file has, if its schema could be read
 * @param mistake what is wrong with the change itself, as the file's schema shows
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

  /** Bytes to read and to write. */
  def work: Long = todo.fold(0L)(_.bytesToRead + file.length)

  /** What one task reads: the chunks of a row group, or nothing where filters are only dropped. */
  def units: Seq[AttachUnit] = todo.toSeq.flatMap { plan =>
    val byRowGroup = plan.chunks.groupBy(_.rowGroup).values.toSeq
    (if (byRowGroup.isEmpty) Seq(Nil) else byRowGroup).map(AttachUnit(file, _))
  }

  /** With the filters of all its units, or with why one of them found none. */
  def changed(
      found: Iterable[AttachUnit.Found],
      change: FilterChange,
      conf: Configuration): AttachOutcome = {
    val filters = found.collect { case Right(Some(filter)) => filter }.toSeq
    try {
      found.collectFirst { case Left(trouble) => throw new IOException(trouble) }
      rewritten(todo.get, filters, conf)
    } catch {
      case FileFailure(_) if file.isDone(filters.map(_.chunk), change, conf) =>
        file.outcome(Done, "")
      case FileFailure(e) => file.outcome(Failed, AttachOutcome.reason(file.path, e))
    }
  }

  private def rewritten(
      plan: FilePlan,
      filters: Seq[ChunkFilter],
      conf: Configuration): AttachOutcome =
    if (filters.isEmpty && plan.gone.isEmpty) unchanged(plan) // too few values for any
    else {
      val start = System.nanoTime
      val bytes = file.open(conf).rewrite(filters, plan.gone.toSet)
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
