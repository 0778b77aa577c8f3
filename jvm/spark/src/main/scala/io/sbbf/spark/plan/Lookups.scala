package io.sbbf.spark.plan

import java.util.{LinkedHashMap, Map => JMap, WeakHashMap}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.sbbf.core.RowGroupPredicate.{AllOf, In, Test}
import io.sbbf.core.{ColumnPath, RowGroupPredicate}

/** How often queries look single values up in the columns of some files. Knows columns, and no values. */
private[spark] object Lookups {
  type Counts = Map[ColumnPath, Long]

  /** What some queries ask of the files under these roots. */
  def of(queries: Seq[QueryExecution], roots: Seq[Path]): Counts = {
    val columns = for {
      query <- queries
      filter <- query.optimizedPlan.collectWithSubqueries {
        case f @ Filter(_, _: LogicalRelation) => f
      }
      files <- relation(filter).toSeq
      if isUnder(files.location.rootPaths, roots)
      predicate = PruneRowGroups.predicate(filter, files, query.sparkSession.sessionState.conf)
      column <- columnsOf(predicate)
    } yield column
    columns.groupBy(identity).map { case (column, all) => column -> all.size.toLong }
  }

  /** What the queries of the session have asked so far of the files under these roots. */
  def ofHistory(session: SparkSession, roots: Seq[Path]): Counts = history.synchronized {
    val entries = Option(history.get(session)).toSeq.flatMap(_.asScala)
    entries
      .collect { case (Asked(paths, column), count) if isUnder(paths, roots) => (column, count) }
      .groupBy(_._1)
      .map { case (column, counts) => column -> counts.map(_._2).sum }
  }

  /** Remembers that a query of the session is planned with this predicate. */
  def remember(session: SparkSession, roots: Seq[Path], predicate: RowGroupPredicate): Unit =
    history.synchronized {
      val counts = history.computeIfAbsent(session, _ => new Newest)
      columnsOf(predicate).foreach(column => counts.merge(Asked(roots, column), 1L, _ + _))
    }

  private def relation(filter: Filter): Option[HadoopFsRelation] = filter.child match {
    case scan: LogicalRelation =>
      Some(scan.relation).collect { case files: HadoopFsRelation => files }
    case _ => None
  }

  private def columnsOf(predicate: RowGroupPredicate): Seq[ColumnPath] =
    predicate.leaves.collect { case leaf if isLookup(leaf.test) => leaf.column }.distinct

  private def isLookup(test: Test): Boolean = test match {
    case In(_) => true
    case AllOf(tests) => tests.exists(isLookup)
    case _ => false
  }

  /** Whether some of the paths are among the roots, or the one lies in the other. */
  private def isUnder(paths: Seq[Path], roots: Seq[Path]): Boolean =
    paths.exists(path => roots.exists(root => contains(path, root) || contains(root, path)))

  private def contains(folder: Path, path: Path): Boolean = {
    val (outer, inner) = (folder.toUri.getPath.stripSuffix("/"), path.toUri.getPath)
    inner == outer || inner.startsWith(s"$outer/")
  }

  private final case class Asked(roots: Seq[Path], column: ColumnPath)

  private final val MostRemembered = 1000

  private final class Newest extends LinkedHashMap[Asked, Long](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[Asked, Long]): Boolean =
      size > MostRemembered
  }

  private val history = new WeakHashMap[SparkSession, Newest]
}
