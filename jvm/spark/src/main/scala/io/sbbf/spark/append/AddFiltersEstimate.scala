package io.sbbf.spark.append

import scala.annotation.tailrec

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.SparkContext

import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.append.AddFiltersOutcome.{Failed, Planned}
import io.sbbf.spark.util.ClosureBytes

/**
 * Estimates what a run would write and how long it would take. The estimate builds the
 * filters of one row group, and reads some bytes of its file.
 */
private[spark] final class AddFiltersEstimate(
    context: SparkContext,
    conf: AddFiltersJob.Conf,
    todo: Seq[PlannedFile]) {
  import AddFiltersEstimate._
  import ClosureBytes._

  /** Returns one outcome for each file. */
  def outcomes(): Seq[AddFiltersOutcome] = if (todo.isEmpty) Nil
  else {
    val shared = conf
    val Sampled(unreadable, sample) = unpack[Sampled](
      context
        .parallelize(Seq(todo.sortBy(-_.work).take(MostTried)), 1)
        .map(files => pack(sampled(files, shared.value.value, Nil)))
        .first())
    val cores = context.defaultParallelism
    // one task reads a row group, and one task writes a file
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
      seconds,
      plan.hasOffsetIndexes)
  }
}

private[spark] object AddFiltersEstimate {

  /** The bytes of a file that measure the time to read it; writing takes about as long. */
  private final val MostRead = 64L << 20

  /** The most files that are tried until one is readable. */
  private final val MostTried = 5

  private final case class Sample(
      filterBytesOfValue: Double,
      secondsOfChunkByte: Double,
      secondsOfByte: Double)

  /** The sample where no file is readable. */
  private val Nothing = Sample(0, 0, 0)

  /** @param unreadable the outcomes of files that would fail */
  private final case class Sampled(unreadable: Seq[AddFiltersOutcome], sample: Sample)

  /** Samples the first readable file. */
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

  /** Measures a file, or returns why it cannot be read. */
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
