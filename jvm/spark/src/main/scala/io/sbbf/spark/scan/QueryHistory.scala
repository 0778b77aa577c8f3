package io.sbbf.spark.scan

import java.util.{LinkedHashMap, Map => JMap, WeakHashMap}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.model.RecoverableError
import io.sbbf.parquet.prune.ScanPruning

/** How often the pruned queries of each session looked values up in columns. Knows columns, and no values. */
private[spark] object QueryHistory {

  /** What the queries of the session have asked so far of the files under these roots. */
  def of(session: SparkSession, roots: Seq[Path]): PointLookupStats.Counts =
    counts(session).entries
      .collect {
        case (Asked(path, column), count) if PointLookupStats.areUnder(Seq(path), roots) =>
          (column, count)
      }
      .groupBy(_._1)
      .map { case (column, found) => column -> found.map(_._2).sum }

  /** That a query is planned with this scan. Trouble with it is no trouble of the query's. */
  def remember(scan: LogicalRelation, selection: ScanPruning): Unit =
    try
      for {
        files <- Seq(scan.relation).collect { case files: HadoopFsRelation => files }
        path <- locations(scan, files)
        column <- PointLookupStats.columnsOf(selection.predicate)
      } counts(files.sparkSession).add(Asked(path, column))
    catch { case RecoverableError(_) => }

  /** Of a table its own, not the partitions that a query reads; of many paths the first ones stand for all. */
  private def locations(scan: LogicalRelation, files: HadoopFsRelation): Seq[Path] =
    scan.catalogTable.flatMap(_.storage.locationUri) match {
      case Some(uri) => Seq(new Path(uri))
      case None => files.location.rootPaths.take(MostPaths)
    }

  private final val MostPaths = 16

  private final case class Asked(path: Path, column: ColumnPath)

  private final val MostRemembered = 1000

  /** Of one session; the pairs that were asked for longest ago go first. */
  private final class Counts {
    private val newest = new LinkedHashMap[Asked, Long](16, 0.75f, true) {
      override def removeEldestEntry(eldest: JMap.Entry[Asked, Long]): Boolean =
        size > MostRemembered
    }

    def add(asked: Asked): Unit = synchronized {
      newest.merge(asked, 1L, _ + _)
      ()
    }

    def entries: Seq[(Asked, Long)] = synchronized(newest.asScala.toVector)
  }

  private val sessions = new WeakHashMap[SparkSession, Counts]

  private def counts(session: SparkSession): Counts = sessions.synchronized {
    sessions.computeIfAbsent(session, _ => new Counts)
  }
}
