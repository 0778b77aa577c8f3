package io.sbbf.spark.append

import scala.annotation.tailrec

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.SparkContext

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.append.AddFiltersOutcome.{Failed, Planned}
import io.sbbf.spark.util.ClosureBytes

/**
 * What attaching would write and how long it would take, told by a sample: the filters of one row group are made,
 * and some of its file's bytes are read.
 */
private[spark] final class AddFiltersEstimate(
    context: SparkContext,
    conf: AddFiltersJob.Conf,
    todo: Seq[PlannedFile]) {
  import AddFiltersEstimate._
  import ClosureBytes._

  /** One for each file. */
  def outcomes(): Seq[AddFiltersOutcome] = if (todo.isEmpty) Nil
  else {
    val shared = conf
    val Sampled(unreadable, sample) = unpack[Sampled](
      context
        .parallelize(Seq(todo.sortBy(-_.work).take(MostTried)), 1)
        .map(files => pack(sampled(files, shared.value.value, Nil)))
        .first())
    val cores = context.defaultParallelism
    // a row group is read by one task, and a file is written by one
    val readers = math.min(cores, todo.map(_.tasks.size).sum)
    val writers = math.min(cores, todo.size)
    val failed = unreadable.map(_.file).toSet
    unreadable ++
      todo
        .filterNot(planned => failed(planned.file.path))
        .map(outcome(_, sample, readers, writers))
  }

  private def outcome(
      file: PlannedFile,
      sample: Sample,
      readers: Int,
      writers: Int): AddFiltersOutcome = {
    val plan = file.todo.get
    val values = plan.chunks.map(_.values).sum
    val filterBytes = (values * sample.filterBytesOfValue).toLong
    val bytes = file.file.length + filterBytes
    val seconds = plan.bytesToRead * sample.secondsOfChunkByte / readers +
      (file.file.length + bytes) * sample.secondsOfByte / writers
    AddFiltersOutcome(
      file.file.path,
      Planned,
      "",
      plan.rowGroups,
      plan.chunks.size,
      filterBytes,
      plan.bytesToRead,
      bytes,
      seconds)
  }
}

private[spark] object AddFiltersEstimate {

  /** Bytes of a file that tell how fast it is read; to write one takes about as long. */
  private final val MostRead = 64L << 20

  /** Files that may turn out to be unreadable before one tells something. */
  private final val MostTried = 5

  private final case class Sample(
      filterBytesOfValue: Double,
      secondsOfChunkByte: Double,
      secondsOfByte: Double)

  /** Where nothing can be read nothing is known. */
  private val Nothing = Sample(0, 0, 0)

  /** @param unreadable those that would fail */
  private final case class Sampled(unreadable: Seq[AddFiltersOutcome], sample: Sample)

  /** By the first of the files that can be read. */
  @tailrec
  private def sampled(
      files: Seq[PlannedFile],
      conf: Configuration,
      unreadable: Seq[AddFiltersOutcome]): Sampled =
    if (files.isEmpty) Sampled(unreadable, Nothing)
    else
      measured(files.head, conf) match {
        case Right(sample) => Sampled(unreadable, sample)
        case Left(reason) =>
          sampled(files.tail, conf, unreadable :+ files.head.file.outcome(Failed, reason))
      }

  /** What the file tells, or why it cannot be read. */
  private def measured(file: PlannedFile, conf: Configuration): Either[String, Sample] = {
    val task = file.tasks.head
    val (found, secondsOfChunks) = timed(task.filters(conf))
    found.collectFirst { case Left(reason) => reason } match {
      case Some(reason) => Left(reason)
      case None =>
        val filters = found.collect { case Right(Some(filter)) => filter }
        val values = task.chunks.map(_.values).sum
        try {
          val (read, seconds) = timed(readSome(new Path(file.file.path), conf))
          Right(
            Sample(
              filters.map(_.bitset.length.toLong).sum.toDouble / math.max(1, values),
              secondsOfChunks / math.max(1, task.bytes),
              seconds / math.max(1, read)))
        } catch {
          case RecoverableError.OfFile(e) => Left(AddFiltersOutcome.reason(file.file.path, e))
        }
    }
  }

  private def readSome(path: Path, conf: Configuration): Long = {
    val in = path.getFileSystem(conf).open(path)
    val buffer = new Array[Byte](1 << 20)
    try {
      var length = in.read(buffer)
      while (length > 0 && in.getPos < MostRead) length = in.read(buffer)
      in.getPos
    } finally in.close()
  }

  private def timed[T](work: => T): (T, Double) = {
    val start = System.nanoTime
    val result = work
    (result, (System.nanoTime - start) / 1e9)
  }
}
