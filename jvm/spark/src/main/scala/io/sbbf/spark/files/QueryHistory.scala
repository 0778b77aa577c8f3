package io.sbbf.spark.files

import java.util.{LinkedHashMap, Map => JMap, WeakHashMap}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.model.RecoverableError
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.scan.PointLookupStats

/**
 * Counts how often each session's pruned queries looked up values in columns; keeps no values.
 */
private[spark] object QueryHistory {

  /**
   * Returns how often the session's queries looked up values in columns of files under `roots`.
   */
  def of(session: SparkSession, roots: Seq[Path]): PointLookupStats.Counts =
    counts(session).entries
      .collect {
        case (Lookup(path, column), count) if PointLookupStats.areUnder(Seq(path), roots) =>
          (column, count)
      }
      .groupBy(_._1)
      .map { case (column, found) => column -> found.map(_._2).sum }

  /** Records that a query was planned with this scan. An error does not affect the query. */
  def remember(scan: LogicalRelation, files: HadoopFsRelation, selection: ScanPruning): Unit =
    try
      for {
        path <- locations(scan, files)
        column <- PointLookupStats.columnsOf(selection.predicate)
      } counts(files.sparkSession).add(Lookup(path, column))
    catch { case RecoverableError(_) => }

  /**
   * Returns the location of a table rather than those of the partitions that a query reads.
   * Without a table, returns the first [[MostPaths]] root paths, which stand for all.
   */
  private def locations(scan: LogicalRelation, files: HadoopFsRelation): Seq[Path] =
    scan.catalogTable.flatMap(_.storage.locationUri) match {
      case Some(uri) => Seq(new Path(uri))
      case None => files.location.rootPaths.take(MostPaths)
    }

  private final val MostPaths = 16

  private final case class Lookup(path: Path, column: ColumnPath)

  private final val MostRemembered = 1000

  /** The counts of one session; the least recently used lookups are dropped first. */
  private final class Counts {
    private val newest = new LinkedHashMap[Lookup, Long](16, 0.75f, true) {
      override def removeEldestEntry(eldest: JMap.Entry[Lookup, Long]): Boolean =
        size > MostRemembered
    }

    def add(lookup: Lookup): Unit = synchronized {
      newest.merge(lookup, 1L, _ + _)
      ()
    }

    def entries: Seq[(Lookup, Long)] = synchronized(newest.asScala.toVector)
  }

  private val sessions = new WeakHashMap[SparkSession, Counts]

  private def counts(session: SparkSession): Counts = sessions.synchronized {
    sessions.computeIfAbsent(session, _ => new Counts)
  }
}
