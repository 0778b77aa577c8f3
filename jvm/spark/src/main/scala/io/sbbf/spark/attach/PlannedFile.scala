package io.sbbf.spark.attach

import java.io.IOException

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.schema.MessageType

import io.sbbf.parquet.UnusableFile
import io.sbbf.parquet.attach.{AttachableFile, ChunkPlan, FilePlan, FilterWish}
import io.sbbf.parquet.write.ChunkFilter
import io.sbbf.spark.attach.AttachOutcome.{Done, Failed, Refused, Unchanged}

/**
 * A file as it was listed, for tasks that may run later, and twice.
 *
 * @param modified in milliseconds since 1970
 */
private[attach] final case class ListedFile(path: String, length: Long, modified: Long) {

  /** @throws java.io.IOException when it is another file now */
  def open(conf: Configuration): AttachableFile = {
    val now = statusNow(conf)
    if (now.getLen != length || now.getModificationTime != modified)
      throw new IOException(s"$path has changed meanwhile")
    new AttachableFile(now, conf)
  }

  /** What is to be done to it, or why nothing can be. */
  def planned(change: FilterChange, conf: Configuration): PlannedFile = {
    var columns = Seq.empty[String]
    var mistake = Option.empty[String]
    def wish(schema: MessageType): FilterWish = {
      columns = schema.getPaths.asScala.toSeq.map(_.mkString("."))
      try change.wish(schema)
      catch {
        case e: IllegalArgumentException =>
          mistake = Some(e.getMessage)
          throw e
      }
    }
    val plan =
      try {
        val found = open(conf).plan(wish)
        val isStranger = change.columns.nonEmpty && !change.columns.exists(columns.contains)
        if (isStranger) Left(outcome(Unchanged, "has none of the columns")) else Right(found)
      } catch {
        case e: UnusableFile => Left(outcome(Refused, e.reason))
        case NonFatal(e) => Left(outcome(Failed, ListedFile.told(e)))
      }
    PlannedFile(this, columns, mistake, plan)
  }

  def outcome(status: AttachOutcome.Status, reason: String): AttachOutcome =
    AttachOutcome(path, status, reason)

  /** Whether it has grown by what `change` asks for: a task that is run again meets its own work. */
  def isDone(change: FilterChange, conf: Configuration): Boolean =
    try {
      val now = statusNow(conf)
      now.getLen > length && new AttachableFile(now, conf).plan(change.kept.wish).isNothing
    } catch { case NonFatal(_) => false }

  private def statusNow(conf: Configuration): FileStatus = {
    val hadoopPath = new Path(path)
    hadoopPath.getFileSystem(conf).getFileStatus(hadoopPath)
  }
}

private[attach] object ListedFile {
  def apply(file: FileStatus): ListedFile =
    ListedFile(file.getPath.toString, file.getLen, file.getModificationTime)

  /** Messages of parquet-mr's may hold values. */
  def told(e: Throwable): String = e match {
    case _: IOException => s"${e.getClass.getSimpleName}: ${e.getMessage}"
    case _ => e.getClass.getName
  }
}

/**
 * @param columns of the file, if it could be read
 * @param mistake what is wrong with the change itself, as the file's schema shows
 * @param plan what is to be done, or what there is to say of the file already
 */
private[attach] final case class PlannedFile(
    file: ListedFile,
    columns: Seq[String],
    mistake: Option[String],
    plan: Either[AttachOutcome, FilePlan]) {

  /** What there is to do, if anything. */
  def todo: Option[FilePlan] = plan.toOption.filterNot(_.isNothing)

  /** Of a file with nothing to do. */
  def settled: AttachOutcome =
    plan.fold(identity, p => file.outcome(Unchanged, "").copy(rowGroups = p.rowGroups))

  /** Bytes to read and to write. */
  def work: Long = todo.fold(0L)(_.bytesToRead + file.length)

  /** What one task reads: the chunks of a row group, or nothing where filters are only dropped. */
  def units: Seq[AttachUnit] = todo.toSeq.flatMap { plan =>
    val byRowGroup = plan.chunks.groupBy(_.rowGroup).values.toSeq
    (if (byRowGroup.isEmpty) Seq(Nil) else byRowGroup).map(AttachUnit(file, _))
  }

  /** With the filters of all its units, or with why one of them found none. */
  def changed(
      found: Seq[AttachUnit.Filters],
      change: FilterChange,
      conf: Configuration): AttachOutcome = {
    val start = System.nanoTime
    val filters = found.flatMap(_.toSeq.flatten)
    try {
      found.collectFirst { case Left(trouble) => throw new IOException(trouble) }
      val plan = todo.get
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
    } catch {
      case NonFatal(_) if file.isDone(change, conf) => file.outcome(Done, "")
      case NonFatal(e) => file.outcome(Failed, ListedFile.told(e))
    }
  }
}

/** @param chunks of one row group */
private[attach] final case class AttachUnit(file: ListedFile, chunks: Seq[ChunkPlan]) {

  def filters(conf: Configuration): AttachUnit.Filters =
    try Right(if (chunks.isEmpty) Nil else file.open(conf).filters(chunks))
    catch { case NonFatal(e) => Left(ListedFile.told(e)) }
}

private[attach] object AttachUnit {

  /** The filters of a unit's chunks, or why there are none. */
  type Filters = Either[String, Seq[ChunkFilter]]
}
