package io.sbbf.orc.prune

import java.util.IdentityHashMap

import scala.annotation.tailrec

import org.apache.orc.ColumnStatistics

import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.core.predicate.{RowGroupPredicate, Verdict}
import io.sbbf.orc.eval.{DeclaredType, OrcLeaf, ReadSchema}
import io.sbbf.orc.file.{OrcFileReader, RowGroups}
import io.sbbf.parquet.model.{ColumnLookup, LeafResult}
import io.sbbf.parquet.prune.RowGroupEvaluator
import io.sbbf.parquet.result.{FilePruning, FileStorage}

/**
 * Evaluates one predicate on the stripes of one file. A stripe is refuted if its statistics refute
 * it, or if each of its row groups is refuted. Not thread-safe.
 *
 * @param table the columns that the scan reads
 * @param open opens the file; called only when something has to be read
 */
private[prune] final class StripeEvaluator(
    predicate: RowGroupPredicate,
    evidence: StripeEvidence,
    lookup: ColumnLookup,
    table: ReadSchema,
    open: () => OrcFileReader) {

  private val tail = evidence.tail
  private val bound = new IdentityHashMap[Leaf, OrcLeaf]
  predicate.leaves.foreach { leaf =>
    bound.put(leaf, OrcLeaf.of(leaf, tail.schema, lookup, table))
  }
  private val columns: Seq[Int] =
    predicate.leaves.flatMap(leaf => bound.get(leaf).column).distinct

  /** Evaluates all stripes and returns the outcome of a file of `length` bytes. */
  def outcome(length: Long): FilePruning = {
    val results = tail.stripes.indices.map(evaluate)
    val surviving = results.map(_.verdict != Verdict.CannotMatch).toArray
    val kept = surviving.indices.filter(surviving(_))
    def counts[K](of: Seq[K]) = of.groupBy(identity).map { case (k, all) => k -> all.size }
    FilePruning(
      rowGroups = tail.stripes.size,
      kept = kept.size,
      keptRows = kept.map(tail.stripes(_).rows).sum,
      keptBytes =
        if (kept.size == surviving.length) length else kept.map(tail.stripes(_).bytes).sum,
      ranges = RowGroupEvaluator.ranges(surviving, tail.stripes(_).offset),
      refutedBy = counts(results.filter(_.verdict == Verdict.CannotMatch).map(_.evidence)),
      keptBecause = counts(kept.map(results(_).reason)),
      storage = storage
    )
  }

  /** ORC's reader fails if it compares a column that the file stores as another type. */
  private def storage: FileStorage = {
    val roots = predicate.leaves.map(_.column.root).distinct
    val areComparable = roots.forall(DeclaredType.isComparable(_, tail.schema, table, lookup))
    if (areComparable) StripeEvaluator.Comparable else FileStorage.Unreadable
  }

  private def evaluate(stripe: Int): LeafResult = {
    val byStripe = LeafResult.of(predicate) { leaf =>
      val own = bound.get(leaf)
      val statistics = own.column.fold[ColumnStatistics](null)(ofStripe(stripe, _))
      own.evaluate(statistics, null, tail.stripes(stripe).rows)
    }
    if (byStripe.verdict == Verdict.CannotMatch || columns.isEmpty) byStripe
    else {
      val index = evidence.ofRowGroups(stripe, columns, open)
      if (index.isEmpty) byStripe else evaluate(index, 0, byStripe)
    }
  }

  /** Returns the result of the first row group from `rowGroup` on that might hold a match. */
  @tailrec
  private def evaluate(
      index: Map[Int, RowGroups],
      rowGroup: Int,
      before: LeafResult): LeafResult =
    if (rowGroup == index.head._2.size) before
    else {
      val result = LeafResult.of(predicate) { leaf =>
        val own = bound.get(leaf)
        own.column.flatMap(index.get) match {
          case Some(of) =>
            own.evaluate(of.statistics(rowGroup), of.filter(rowGroup), of.rows(rowGroup))
          case None => own.evaluate(null, null, rows = 0)
        }
      }
      if (result.verdict != Verdict.CannotMatch) result else evaluate(index, rowGroup + 1, result)
    }

  private def ofStripe(stripe: Int, column: Int): ColumnStatistics =
    evidence.ofStripes(column, open)(stripe)
}

private object StripeEvaluator {

  /** ORC's reader may evaluate all filters in the file. */
  private val Comparable =
    FileStorage.Known(
      hasCorruptStatistics = false,
      hasShortDecimals = false,
      meetsRequirements = false)
}
