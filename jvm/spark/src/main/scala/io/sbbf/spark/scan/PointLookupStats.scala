package io.sbbf.spark.scan

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.QueryExecution

import io.sbbf.core.predicate.RowGroupPredicate.{AllOf, In, Test}
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate}
import io.sbbf.parquet.model.RecoverableError

/** Counts how often queries look up single values in the columns of some files. */
private[spark] object PointLookupStats {
  type Counts = Map[ColumnPath, Long]

  /** Returns how often the queries look up values in each column of the files under `roots`. */
  def of(queries: Seq[QueryExecution], roots: Seq[Path], formats: Seq[ScanFormat]): Counts = {
    val columns = for {
      query <- queries
      (conjuncts, leaf) <- FilteredScan.all(query.optimizedPlan)
      scan <- ScanFormat.scanOf(formats, leaf, query.sparkSession.sessionState.conf).toSeq
      column <-
        try
          if (!areUnder(scan.roots, roots)) Nil
          else columnsOf(scan.columns.predicate(conjuncts, leaf.output))
        catch { case RecoverableError(_) => Nil } // it reads tables of other versions as well
    } yield column
    columns.groupBy(identity).map { case (column, all) => column -> all.size.toLong }
  }

  /** Returns the columns in which a predicate looks up values, none if it cannot prune. */
  def columnsOf(predicate: RowGroupPredicate): Seq[ColumnPath] =
    if (!predicate.canPrune) Nil
    else
      predicate.leaves.collect {
        case leaf if isLookup(leaf.test) && leaf.column.function.isEmpty => leaf.column
      }.distinct

  /** Returns whether one of the paths equals, contains or is inside one of the roots. */
  def areUnder(paths: Seq[Path], roots: Seq[Path]): Boolean =
    paths.exists(path => roots.exists(root => contains(path, root) || contains(root, path)))

  private def isLookup(test: Test): Boolean = test match {
    case In(_) => true
    case AllOf(tests) => tests.exists(isLookup)
    case _ => false
  }

  private def contains(folder: Path, path: Path): Boolean = {
    val (outer, inner) = (folder.toUri, path.toUri)
    val prefix = outer.getPath.stripSuffix("/")
    isSame(outer.getScheme, inner.getScheme) && isSame(outer.getAuthority, inner.getAuthority) &&
    (inner.getPath == prefix || inner.getPath.startsWith(s"$prefix/"))
  }

  /** Returns whether two parts of a URI agree; a missing part matches any other. */
  private def isSame(a: String, b: String): Boolean = a == null || b == null || a == b
}
