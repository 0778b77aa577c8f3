package io.sbbf.spark.advise

import scala.util.Random

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.model.RecoverableError
import io.sbbf.parquet.sample.{ChunkSample, FileFacts, SampledFile}
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.location.TableLocation
import io.sbbf.spark.scan.PointLookupStats
import io.sbbf.spark.table.{NamedFiles, OpenedTable, TableTasks}
import io.sbbf.spark.util.{ClosureBytes, ExecutorJar, TableFiles}
import io.sbbf.spark.write.FilterOptions

/**
 * Estimates the cost and the benefit of filters for each column, in Spark jobs. One reads
 * footers, one reads the values of some row groups, and one looks some of these values up in the
 * footers' bounds.
 *
 * @param mostFiles the most files whose footers are read; in larger tables they represent the
 *   others
 */
private[spark] final class AdviceJob(
    session: SparkSession,
    request: AdviceRequest,
    mostFiles: Int = AdviceJob.MostFiles)
    extends Logging {
  import AdviceJob._

  private val context = session.sparkContext
  private val hadoopConf = session.sessionState.newHadoopConf()
  private val sqlConf = session.sessionState.conf
  private lazy val target: NamedFiles = TableLocation.of(request.table, session)
  private lazy val tasks = new TableTasks(session, hadoopConf, target, "advise")
  private lazy val columns: Seq[String] =
    request.columns.map(name => target.column(name, sqlConf.resolver).fold(name)(_.name))

  /**
   * Returns advice for each column. Columns with something to do come first, and among them those
   * with the largest benefit.
   *
   * @throws IllegalArgumentException if there are no files, none can be read, none has a named
   *   column, no query looks up a value in them, or they belong to a table with a log
   * @throws IllegalStateException if executors do not have our classes
   */
  def run(): Seq[ColumnAdvice] = {
    ExecutorJar.require(context)
    val all = request.where.fold(target.files)(target.filesWhere(_, session))
    if (all.isEmpty) throw new IllegalArgumentException(s"no files in ${target.name}$selected")
    refuseOtherFormats(all)
    val queried = lookups()
    val seen = footers(some(all, mostFiles), queried.toSeq.flatMap(_.keys))
    val columns = wanted(seen)
    val samples = sampled(seen, columns)
    val kept = keptByBounds(seen.map(_.file), samples)
    val table = SampleScope(seen.map(_.facts.rowGroups.size).sum, all.size.toDouble / seen.size)
    val fpp = request.fpp.getOrElse(FilterOptions.autoFpp(table.rowGroups.toLong))
    val counts = queried.map(ofColumns(_, seen))
    seen
      .flatMap(_.facts.columns)
      .groupBy(_.column)
      .collect {
        case (column, facts) if columns(column) =>
          val ofColumn = samples.filter(_.column == column)
          val evidence =
            new ColumnProfile(facts, ofColumn, kept.getOrElse(column, 0), table)
          ColumnAdvice.of(evidence, fpp, counts.map(_.getOrElse(column, 0L)), target.lakeFormat)
      }
      .toSeq
      .sortBy(_.order)
  }

  private def selected: String = request.where.fold("")(_ => ", in the partitions of where")

  private def refuseOtherFormats(files: Seq[FileStatus]): Unit = {
    target.refuseOrc(files)
    for ((folder, kind) <- target.tableWithLog)
      throw new IllegalArgumentException(
        s"${target.name} belongs to the $kind table $folder: its reader skips files itself, " +
          "and add_filters does not change them" +
          Formats.lake(kind).fold("")(_ => ". Name the table instead of the folder."))
  }

  /** Returns None if the request names no queries. */
  private def lookups(): Option[PointLookupStats.Counts] = {
    val counts =
      if (request.history) Some(target.history(session))
      else
        request.views.map { names =>
          val queries = names.map(session.table(_).queryExecution)
          PointLookupStats.of(queries, target.roots, Formats.all)
        }
    if (counts.exists(_.isEmpty))
      throw new IllegalArgumentException(
        s"no query looks up a value in the files of ${target.name}; the history of a session " +
          "begins when it is enabled")
    counts
  }

  private def footers(all: Seq[FileStatus], paths: Seq[ColumnPath]): Seq[SeenFile] = {
    val caseSensitive = sqlConf.caseSensitiveAnalysis
    val files = all.map(file => ListedFile(target.taskFiles.serializable(file)))
    val named = columns.toSet
    val found = tasks.map(files, "footers") { (file, table) =>
      file.attempt {
        val opened = file.open(table)
        SeenFile(file, opened.facts(named), opened.resolve(paths, caseSensitive))
      }
    }
    val failures = found.flatMap(_.left.toOption)
    val seen = found.flatMap(_.toOption)
    if (seen.isEmpty)
      throw new IllegalArgumentException(s"no file could be read: ${failures.head}")
    warn(failures, files.size, "files could not be read, and are assumed to be like the others")
    seen
  }

  private def wanted(seen: Seq[SeenFile]): Set[String] = {
    val known = seen.flatMap(_.facts.columns.map(_.column)).toSet
    val missing = columns.filterNot(known)
    if (missing.nonEmpty) throw TableFiles.withoutColumns(target.name, missing)
    if (columns.isEmpty) known else columns.toSet
  }

  private def sampled(seen: Seq[SeenFile], columns: Set[String]): Seq[ChunkSample] = {
    val rowGroups = seen.flatMap(file => file.facts.rowGroups.map(file.file -> _))
    val chosen = some(rowGroups, request.rowGroups)
    val found = tasks.map(chosen, "values of some row groups") { case ((file, rowGroup), table) =>
      file.attempt(file.open(table).sample(rowGroup, columns))
    }
    val failures = found.flatMap(_.fold(Seq(_), _.flatMap(_.left.toOption)))
    warn(failures, chosen.size, "row groups could not be fully sampled")
    found.flatMap(_.toOption).flatten.flatMap(_.toOption)
  }

  /**
   * Returns, for each column, the average of the row groups read that min/max keep for a lookup.
   */
  private def keptByBounds(
      files: Seq[ListedFile],
      samples: Seq[ChunkSample]): Map[String, Double] = {
    val values = samples
      .groupBy(_.column)
      .map { case (column, of) => column -> some(of.flatMap(_.sample), MostValues) }
    val shared = context.broadcast(ClosureBytes.pack(values))
    try {
      val kept = tasks.map(files, "bounds") { (file, table) =>
        val plain = ClosureBytes.unpack[Map[String, Seq[Array[Byte]]]](shared.value)
        file.attempt(file.open(table).keptByBounds(plain))
      }
      kept.flatMap(_.toOption).flatten.groupBy(_._1).map { case (column, counts) =>
        column -> counts.map(_._2).sum.toDouble / math.max(1, values(column).size)
      }
    } finally shared.destroy()
  }

  /** Returns the lookups of each column of the files. */
  private def ofColumns(counts: PointLookupStats.Counts, seen: Seq[SeenFile]): Map[String, Long] =
    seen.flatMap(_.resolved).distinct.groupBy(_._2).map { case (column, paths) =>
      column -> paths.map { case (path, _) => counts(path) }.sum
    }

  private def warn(failures: Seq[String], of: Int, what: String): Unit =
    if (failures.nonEmpty) logWarning(s"${failures.size} of $of $what: ${failures.head}")
}

private[spark] object AdviceJob {
  private final val MostFiles = 1000

  /** The most values of a column to look up in the bounds of all row groups. */
  private final val MostValues = 64

  private final case class ListedFile(status: FileStatus) {
    def open(table: OpenedTable): SampledFile =
      new SampledFile(status, table.conf, table.store, table.columns)

    /** Returns the result of `work`, or why it failed. */
    def attempt[T](work: => T): Either[String, T] =
      try Right(work)
      catch {
        case RecoverableError.OfFile(e) =>
          Left(s"${status.getPath}: ${RecoverableError.message(e)}")
      }
  }

  /** @param resolved the file's columns for the paths in queries */
  private final case class SeenFile(
      file: ListedFile,
      facts: FileFacts,
      resolved: Map[ColumnPath, String])

  /** Draws some items at random, but the same ones each time. */
  private def some[A](all: Seq[A], most: Int): Seq[A] =
    if (all.size <= most) all else new Random(all.size).shuffle(all).take(most)
}
