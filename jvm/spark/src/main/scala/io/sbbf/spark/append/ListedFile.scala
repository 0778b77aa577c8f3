package io.sbbf.spark.append

import java.io.IOException

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.schema.MessageType

import io.sbbf.parquet.append.{FileEdit, FilePlan, FilterAppender}
import io.sbbf.parquet.model.{FileVersion, RecoverableError, UnusableFile}
import io.sbbf.spark.append.AddFiltersOutcome.{Done, Failed, Refused, Unchanged}

/** A file as it was listed, for tasks that may run later and more than once. */
private[spark] final case class ListedFile(version: FileVersion) {
  def path: String = version.path.toString
  def length: Long = version.length

  /** @throws java.io.IOException if the file has changed since it was listed */
  def open(conf: Configuration): FilterAppender = {
    val now = statusNow(conf)
    if (!FileVersion.of(now).isSameAs(version))
      throw new IOException(s"$path has changed meanwhile")
    new FilterAppender(now, conf)
  }

  /** Plans the change, or records why the file cannot be changed. */
  def planned(edits: EditSpec, conf: Configuration): PlannedFile =
    opened(conf) match {
      case Left(failure) => PlannedFile(this, None, None, Left(failure))
      case Right((file, schema)) =>
        val wanted = edits.columns.intersect(schema.getPaths.asScala.toSeq.map(_.mkString(".")))
        edits.of(schema) match {
          case Left(mistake) =>
            PlannedFile(this, Some(wanted), Some(mistake), Left(outcome(Failed, mistake)))
          case Right(edit) =>
            val lacksColumns = edits.columns.nonEmpty && wanted.isEmpty
            PlannedFile(this, Some(wanted), None, plan(file, edit, lacksColumns))
        }
    }

  private def opened(
      conf: Configuration): Either[AddFiltersOutcome, (FilterAppender, MessageType)] =
    attempt {
      val file = open(conf)
      (file, file.schema)
    }

  /** @param lacksColumns whether the file has none of the named columns */
  private def plan(
      file: FilterAppender,
      edit: FileEdit,
      lacksColumns: Boolean): Either[AddFiltersOutcome, FilePlan] =
    attempt(file.plan(edit)) match {
      case Right(_) if lacksColumns => Left(outcome(Unchanged, "has none of the columns"))
      case other => other
    }

  private def attempt[T](work: => T): Either[AddFiltersOutcome, T] =
    try Right(work)
    catch {
      case e: UnusableFile => Left(outcome(Refused, e.reason))
      case RecoverableError.OfFile(e) => Left(failed(e))
    }

  def outcome(status: AddFiltersOutcome.Status, reason: String): AddFiltersOutcome =
    AddFiltersOutcome(path, status, reason)

  /** Returns the outcome of a failure, and logs its stack trace. */
  def failed(e: Throwable): AddFiltersOutcome = outcome(Failed, AddFiltersOutcome.reason(path, e))

  /** Returns the outcome of a plan that is already carried out, if a task has run before. */
  def doneBefore(plan: FilePlan, conf: Configuration): Option[AddFiltersOutcome] =
    try
      new FilterAppender(statusNow(conf), conf)
        .isAlreadyApplied(length, plan.chunks, plan.dropped)
        .map(filters => outcome(Done, "").copy(filters = filters))
    catch { case RecoverableError.OfFile(_) => None }

  private def statusNow(conf: Configuration): FileStatus =
    version.path.getFileSystem(conf).getFileStatus(version.path)
}
