package io.sbbf.spark.advise

import scala.reflect.ClassTag
import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

import io.sbbf.core.ColumnPath
import io.sbbf.parquet.UnusableFile
import io.sbbf.parquet.sample.{ChunkSample, FileFacts, SampledFile}
import io.sbbf.spark.inspect.TableFiles
import io.sbbf.spark.plan.ExecutorJar
import io.sbbf.spark.write.FilterOptions
import io.sbbf.spark.{FileFailure, Packed}

/**
 * What filters would cost and give, column by column, by Spark jobs: one that looks at footers, one that reads
 * the values of some row groups, and one that asks the footers' bounds for some of these values.
 */
private[spark] final class AdviceJob(session: SparkSession, request: AdviceRequest)
    extends Logging {
  import AdviceJob._

  private val context = session.sparkContext
  private val hadoopConf = session.sessionState.newHadoopConf()
  private lazy val conf = context.broadcast(new SerializableConfiguration(hadoopConf))

  /**
   * The columns, most worth a filter first.
   *
   * @throws IllegalArgumentException where there are no files, none can be read, or a named column is in none
   * @throws IllegalStateException where executors do not have our classes
   */
  def run(): Seq[ColumnAdvice] = {
    if (!ExecutorJar.isThere(context)) throw new IllegalStateException(ExecutorJar.missing)
    val all = new TableFiles(request.path, hadoopConf).data
    if (all.isEmpty) throw new IllegalArgumentException(s"there are no files in ${request.path}")
    val seen = footers(some(all, MostFiles).map(ListedFile.of))
    val columns = wanted(seen)
    val samples = sampled(seen, columns)
    val kept = keptByBounds(seen.map(_.file), samples)
    val rowGroups = seen.map(_.facts.rows.count(_ > 0)).sum
    val scale = all.size.toDouble / seen.size
    val fpp = request.fpp.getOrElse(FilterOptions.oneOf((rowGroups * scale).toLong))
    val lookups = lookupsOf(seen)
    seen
      .flatMap(_.facts.columns)
      .groupBy(_.column)
      .collect {
        case (column, facts) if columns(column) =>
          val evidence = ColumnEvidence(
            facts,
            samples.filter(_.column == column),
            kept.getOrElse(column, 0),
            rowGroups,
            scale)
          ColumnAdvice.of(evidence, fpp, lookups.map(_.getOrElse(column, 0L)))
      }
      .toSeq
      .sortBy(advice => (-advice.saved * advice.lookups.getOrElse(1L), advice.column))
  }

  private def footers(files: Seq[ListedFile]): Seq[SeenFile] = {
    val asked = request.lookups.fold(Seq.empty[ColumnPath])(_.keys.toSeq)
    val caseSensitive = session.sessionState.conf.caseSensitiveAnalysis
    val found = onExecutors(files) { (file, conf) =>
      val opened = file.open(conf)
      SeenFile(file, opened.facts(), opened.resolve(asked, caseSensitive))
    }
    val seen = found.flatMap(_.toOption)
    val failures = found.flatMap(_.left.toOption)
    if (seen.isEmpty)
      throw new IllegalArgumentException(s"no file could be looked at: ${failures.head}")
    if (failures.nonEmpty)
      logWarning(
        s"${failures.size} of ${files.size} files could not be looked at: ${failures.head}")
    seen
  }

  private def wanted(seen: Seq[SeenFile]): Set[String] = {
    val known = seen.flatMap(_.facts.columns.map(_.column)).toSet
    val missing = request.columns.filterNot(known)
    if (missing.nonEmpty)
      throw new IllegalArgumentException(
        s"no file of ${request.path} has ${missing.map(c => s"'$c'").mkString(", ")}; nested columns are named by " +
          "their Parquet path, as in 'tags.list.element'")
    if (request.columns.isEmpty) known else request.columns.toSet
  }

  private def sampled(seen: Seq[SeenFile], columns: Set[String]): Seq[ChunkSample] = {
    val rowGroups = for {
      file <- seen
      (rows, rowGroup) <- file.facts.rows.zipWithIndex
      if rows > 0
    } yield (file.file, rowGroup)
    val found = onExecutors(some(rowGroups, request.rowGroups)) { case ((file, rowGroup), conf) =>
      file.open(conf).sample(rowGroup, columns)
    }
    found.flatMap(_.left.toOption).headOption.foreach { failure =>
      logWarning(s"A row group could not be sampled: $failure")
    }
    found.flatMap(_.toOption).flatten
  }

  /** How many row groups min/max keep of a lookup in a column, on average. */
  private def keptByBounds(
      files: Seq[ListedFile],
      samples: Seq[ChunkSample]): Map[String, Double] = {
    val probes = samples
      .groupBy(_.column)
      .map { case (column, of) => column -> some(of.flatMap(_.probes), MostProbes) }
    val shared = context.broadcast(Packed.pack(probes))
    val kept = onExecutors(files) { (file, conf) =>
      file
        .open(conf)
        .keptByBounds(Packed.unpack[Map[String, Seq[Array[Byte]]]](shared.value))
    }
    shared.destroy()
    kept.flatMap(_.toOption).flatten.groupBy(_._1).map { case (column, counts) =>
      column -> counts.map(_._2).sum.toDouble / math.max(1, probes(column).size)
    }
  }

  /** By the columns of the files; None where nobody has told of queries. */
  private def lookupsOf(seen: Seq[SeenFile]): Option[Map[String, Long]] =
    request.lookups.map { counts =>
      seen.flatMap(_.resolved).distinct.groupBy(_._2).map { case (column, paths) =>
        column -> paths.map { case (path, _) => counts(path) }.sum
      }
    }

  private def onExecutors[A: ClassTag, B](items: Seq[A])(
      work: (A, Configuration) => B): Seq[Either[String, B]] = {
    val shared = conf
    val slices = math.max(1, math.min(items.size, context.defaultParallelism * 4))
    context
      .parallelize(items, slices)
      .map { item =>
        val answer: Either[String, B] =
          try Right(work(item, shared.value.value))
          catch {
            case e: UnusableFile => Left(e.reason)
            case FileFailure(e) => Left(e.getClass.getName)
          }
        Packed.pack(answer)
      }
      .collect()
      .toSeq
      .map(Packed.unpack[Either[String, B]](_))
  }
}

private[spark] object AdviceJob {

  /** Files whose footers are read; of larger tables they stand for the others. */
  private final val MostFiles = 1000

  /** Values of a column that the bounds of all row groups are asked for. */
  private final val MostProbes = 64

  private final case class ListedFile(path: String, length: Long) {
    def open(conf: Configuration): SampledFile =
      new SampledFile(new FileStatus(length, false, 1, 0, 0, new Path(path)), conf)
  }

  private object ListedFile {
    def of(file: FileStatus): ListedFile = ListedFile(file.getPath.toString, file.getLen)
  }

  /** @param resolved the columns that queries' paths lead to */
  private final case class SeenFile(
      file: ListedFile,
      facts: FileFacts,
      resolved: Map[ColumnPath, String])

  /** Drawn by chance, but the same ones each time. */
  private def some[A](all: Seq[A], most: Int): Seq[A] =
    if (all.size <= most) all else new Random(all.size).shuffle(all).take(most)
}
