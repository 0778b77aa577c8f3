package io.sbbf.parquet.eval

import java.io.IOException

import scala.util.control.NonFatal

import io.sbbf.core.predicate.Verdict
import io.sbbf.parquet.chunk.{DictionaryReader, FilterState}
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.literal.BoundPredicate
import io.sbbf.parquet.model.{Interruption, LeafResult}

/** Evaluates a leaf for one column of a file by the evidence of its chunks. Thread-safe. */
private[parquet] final class ColumnLeaf(
    evidence: FileEvidence,
    column: Int,
    test: BoundPredicate,
    isCacheFull: () => Boolean)
    extends LeafEvaluator {
  import BoundPredicate._

  private val footer = evidence.footer
  private val bounds = footer.bounds
  private val node = footer.schema.column(column)

  override def evalStatistics(rowGroup: Int): LeafResult = {
    val chunk = footer.chunk(rowGroup, column)
    if (footer.numRows(rowGroup) == 0) LeafResult.NoRows
    else if (footer.isUnreadable(chunk)) footer.whyUnreadable(chunk)
    else {
      val nulls = footer.possibleNulls(rowGroup, column)
      val isAllNull = footer.isAllNull(rowGroup, column)
      test match {
        case IsNull if isAllNull => LeafResult.EveryRowNull
        case IsNull if nulls == 0 => LeafResult.NoNulls
        case IsNotNull if nulls == 0 => LeafResult.NoRowNull
        case IsNull => LeafResult.NoEvidence
        case _ if isAllNull => LeafResult.AllNull
        case IsNotNull => LeafResult.NoEvidence
        case Unsupported(result) => result
        case ofValues: ValueTest => fromBounds(ofValues, chunk, hasNulls = nulls != 0)
      }
    }
  }

  private def noEvidence(chunk: Int): LeafResult =
    if (footer.hasUnorderedBounds(chunk)) LeafResult.UnorderedBounds else LeafResult.NoEvidence

  private def fromBounds(test: ValueTest, chunk: Int, hasNulls: Boolean): LeafResult =
    test match {
      case membership: InSet => fromBounds(membership, chunk)
      case within: InRange => fromBounds(within, chunk, hasNulls)
      case AllOf(tests, isWhole) =>
        val results = tests.map(fromBounds(_, chunk, hasNulls))
        val open = results.find(_.verdict == Verdict.MightMatch)
        results
          .find(_.verdict == Verdict.CannotMatch)
          .getOrElse(
            open.getOrElse(if (isWhole) LeafResult.CoversBounds else LeafResult.NoEvidence))
    }

  private def fromBounds(test: InSet, chunk: Int): LeafResult =
    if (test.isNegated) {
      // the chunk's only value is excluded; bounds would leave out a NaN, so no floating-point types
      val isExcluded = !test.isFloating && bounds.isKnown(chunk) && footer.isConstant(chunk) &&
        test.keys.fromMin(bounds, chunk) < test.keys.aboveMax(bounds, chunk)
      if (isExcluded) LeafResult.OutsideBounds else noEvidence(chunk)
    } else if (test.keys.size == 0) LeafResult.OutsideBounds
    else if (test.containsNaN) LeafResult.ComparedWithNaN
    else if (test.misses(bounds, chunk)) LeafResult.OutsideBounds
    else noEvidence(chunk)

  private def fromBounds(test: InRange, chunk: Int, hasNulls: Boolean): LeafResult =
    if (test.range.isEmpty) LeafResult.OutsideBounds
    else if (test.hasNaN) LeafResult.NaNAbove
    else if (!bounds.isKnown(chunk)) noEvidence(chunk)
    else if (test.range.misses(bounds, chunk)) LeafResult.OutsideBounds
    else if (!hasNulls && !test.isFloating && test.range.covers(bounds, chunk))
      LeafResult.CoversBounds
    else LeafResult.NoEvidence

  override def evalContents(rowGroup: Int, bytes: () => FileBytes): LeafResult = {
    val result = evalStatistics(rowGroup)
    test match {
      case ofValues: ValueTest if result.verdict == Verdict.MightMatch && isReadable(rowGroup) =>
        if (holdsBound(ofValues, footer.chunk(rowGroup, column))) LeafResult.HoldsBound
        else
          try evalContents(ofValues, result, rowGroup, bytes)
          catch {
            case e: IOException if Interruption.is(e) => throw e
            case NonFatal(_) => ColumnLeaf.CannotBeRead
          }
      case _ => result
    }
  }

  /**
   * Returns whether a bound passes the test. Bounds are usually values of the chunk, so no other
   * evidence could refute the test. A test for literals returns false, because reading the contents
   * is cheap.
   */
  private def holdsBound(test: ValueTest, chunk: Int): Boolean = test match {
    case membership: InSet if !membership.isNegated => false
    case _ =>
      bounds.isKnown(chunk) && (test.mightPassMin(bounds, chunk) || test
        .mightPassMax(bounds, chunk))
  }

  private def isReadable(rowGroup: Int): Boolean =
    !footer.isUnreadable(footer.chunk(rowGroup, column))

  private def evalContents(
      test: ValueTest,
      fromFooter: LeafResult,
      rowGroup: Int,
      bytes: () => FileBytes): LeafResult =
    evidence.readDictionary(rowGroup, column, test, bytes()) match {
      case DictionaryReader.Readable(dictionary) =>
        if (dictionary.mightHold(test)) LeafResult.InDictionary else LeafResult.NotInDictionary
      case other =>
        val result =
          test.literals(node.columnType).fold(fromFooter)(fromFilter(_, rowGroup, bytes))
        other match {
          case unreadable: DictionaryReader.Unreadable
              if result eq noEvidence(footer.chunk(rowGroup, column)) =>
            unreadable.result
          case _ => result
        }
    }

  private def fromFilter(test: InSet, rowGroup: Int, bytes: () => FileBytes): LeafResult = {
    val chunk = footer.chunk(rowGroup, column)
    def result(mightHold: Boolean) =
      if (mightHold) LeafResult.InFilter else LeafResult.NotInFilter
    evidence.probe(rowGroup, column, test, isCacheFull, bytes()) match {
      case Some(mightHold) => result(mightHold)
      case None =>
        readFilter(rowGroup, bytes) match {
          case FilterState.Absent => noEvidence(chunk)
          case rejected: FilterState.Rejected => rejected.result
          case FilterState.Present(_, _, bitset) => result(test.mightBeIn(bitset, bounds, chunk))
        }
    }
  }

  private def readFilter(rowGroup: Int, bytes: () => FileBytes): FilterState = {
    def isUndecided(g: Int) = evalStatistics(g).verdict == Verdict.MightMatch
    evidence.readFiltersAhead(rowGroup, column, isUndecided, bytes())
    evidence.readFilter(rowGroup, column, bytes())
  }
}

private[parquet] object ColumnLeaf {
  private val CannotBeRead = LeafResult.unknown("cannot be read")
}
