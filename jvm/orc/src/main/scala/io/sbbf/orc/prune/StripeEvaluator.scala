package io.sbbf.orc.prune

import scala.annotation.tailrec

import org.apache.orc.ColumnStatistics

import io.sbbf.core.predicate.Verdict
import io.sbbf.orc.file.OrcFileReader
import io.sbbf.parquet.model.LeafResult
import io.sbbf.parquet.prune.RowGroupEvaluator
import io.sbbf.parquet.result.FilePruning

/**
 * Evaluates one predicate on the stripes of one file. A stripe is refuted if its statistics refute
 * it, or if each of its row groups is refuted. Not thread-safe.
 *
 * @param binding the predicate in terms of the file's columns
 * @param open opens the file; called only when something has to be read
 */
private[prune] final class StripeEvaluator(
    binding: SchemaBinding,
    evidence: StripeEvidence,
    open: () => OrcFileReader) {

  private val tail = evidence.tail

  /** Evaluates all stripes and returns the outcome of a file of `length` bytes. */
  def outcome(length: Long): FilePruning = {
    val results = tail.stripes.indices.map(evaluate)
    val surviving = results.map(_.verdict != Verdict.CannotMatch).toArray
    val kept = surviving.indices.filter(surviving(_))
    def counts[K](of: Seq[K]) =
      of.foldLeft(Map.empty[K, Int])((sum, k) => sum.updated(k, sum.getOrElse(k, 0) + 1))
    FilePruning(
      rowGroups = tail.stripes.size,
      kept = kept.size,
      keptRows = kept.map(tail.stripes(_).rows).sum,
      keptBytes =
        if (kept.size == surviving.length) length else kept.map(tail.stripes(_).bytes).sum,
      ranges = RowGroupEvaluator.ranges(surviving, tail.stripes(_).offset),
      refutedBy = counts(results.filter(_.verdict == Verdict.CannotMatch).map(_.evidence)),
      keptBecause = counts(kept.map(results(_).reason)),
      storage = binding.storage
    )
  }

  /** Evaluates one stripe. */
  def evaluate(stripe: Int): LeafResult = {
    val byStripe = LeafResult.of(binding.predicate) { leaf =>
      val own = binding.leaf(leaf)
      val statistics = own.column.fold[ColumnStatistics](null)(ofStripe(stripe, _))
      own.evaluate(statistics, null, tail.stripes(stripe).rows)
    }
    if (byStripe.verdict == Verdict.CannotMatch || binding.columns.isEmpty) byStripe
    else {
      val index = evidence.ofRowGroups(stripe, binding.columns, open)
      // all columns have as many row groups
      binding.columns.find(index(_).isDefined).flatMap(index) match {
        case Some(any) => evaluate(index, 0, any.size, byStripe)
        case None => byStripe
      }
    }
  }

  /** Returns the result of the first row group from `rowGroup` on that might hold a match. */
  @tailrec
  private def evaluate(
      index: StripeEvidence.Index,
      rowGroup: Int,
      size: Int,
      before: LeafResult): LeafResult =
    if (rowGroup == size) before
    else {
      val result = LeafResult.of(binding.predicate) { leaf =>
        val own = binding.leaf(leaf)
        own.column.flatMap(index) match {
          case Some(of) =>
            own.evaluate(of.statistics(rowGroup), of.filter(rowGroup), of.rows(rowGroup))
          case None => own.evaluate(null, null, rows = 0)
        }
      }
      if (result.verdict != Verdict.CannotMatch) result
      else evaluate(index, rowGroup + 1, size, result)
    }

  private def ofStripe(stripe: Int, column: Int): ColumnStatistics =
    evidence.ofStripes(column, open)(stripe)
}
