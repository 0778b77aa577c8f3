package io.sbbf.parquet

import java.io.IOException

import scala.util.control.NonFatal

import io.sbbf.core.Verdict
import io.sbbf.core.kernel.Kernels
import io.sbbf.parquet.chunk.DictionaryReader
import io.sbbf.parquet.footer.Physical
import io.sbbf.parquet.literal.ColumnTest

/** One leaf of a predicate, bound to one file: answers for each row group. Thread-safe. */
abstract class BoundLeaf {

  /** By null counts and min/max alone: no I/O. */
  def fromFooter(rowGroup: Int): Answer

  /**
   * [[fromFooter]]'s answer if that decides, else by the dictionary, else by the bloom filter. It
   * reads at first need only; what cannot be read leaves the row group undecided. Nothing is
   * thrown but interruptions and fatal errors.
   */
  def fromData(rowGroup: Int, bytes: () => FileBytes): Answer
}

/** A leaf with one answer for all of the file's row groups that have rows. */
private[parquet] final class UnknownLeaf(footer: FileFooter, answer: Answer) extends BoundLeaf {
  override def fromFooter(rowGroup: Int): Answer =
    if (footer.numRows(rowGroup) == 0) Answer.NoRows else answer
  override def fromData(rowGroup: Int, bytes: () => FileBytes): Answer = fromFooter(rowGroup)
}

private[parquet] final class ColumnLeaf(evidence: FileEvidence, column: Int, test: ColumnTest)
    extends BoundLeaf {
  import ColumnTest._

  private val footer = evidence.footer
  private val bounds = footer.bounds
  private val node = footer.schema.column(column)

  override def fromFooter(rowGroup: Int): Answer = {
    val chunk = footer.chunk(rowGroup, column)
    if (footer.numRows(rowGroup) == 0) Answer.NoRows
    else if (footer.isUnreadable(chunk)) footer.whyUnreadable(chunk)
    else {
      val nulls = if (node.isNullable) footer.nullCount(rowGroup, column) else 0
      val isAllNull = nulls == footer.numValues(rowGroup, column)
      test match {
        case IsNull if isAllNull => Answer.EveryRowNull
        case IsNull if nulls == 0 => Answer.NoNulls
        case IsNotNull if nulls == 0 => Answer.NoRowNull
        case IsNull => Answer.NoEvidence
        case _ if isAllNull => Answer.AllNull
        case IsNotNull => Answer.NoEvidence
        case Undecidable(answer) => answer
        case ofValues: ValueTest => fromBounds(ofValues, chunk, hasNulls = nulls != 0)
      }
    }
  }

  private def fromBounds(test: ValueTest, chunk: Int, hasNulls: Boolean): Answer = test match {
    case membership: Membership => fromBounds(membership, chunk)
    case within: Within => fromBounds(within, chunk, hasNulls)
    case Every(tests, isWhole) =>
      val answers = tests.map(fromBounds(_, chunk, hasNulls))
      val open = answers.find(_.verdict == Verdict.MightMatch)
      answers
        .find(_.verdict == Verdict.CannotMatch)
        .getOrElse(open.getOrElse(if (isWhole) Answer.CoversBounds else Answer.NoEvidence))
  }

  private def fromBounds(test: Membership, chunk: Int): Answer =
    if (test.isNegated) {
      // the only value there is, and excluded; a NaN beside it would be left out of the bounds
      val isExcluded = !test.isReal && bounds.isKnown(chunk) && footer.isConstant(chunk) &&
        test.keys.fromMin(bounds, chunk) < test.keys.aboveMax(bounds, chunk)
      if (isExcluded) Answer.OutsideBounds else Answer.NoEvidence
    } else if (test.keys.size == 0) Answer.OutsideBounds
    else if (test.asksNaN) Answer.ComparedWithNaN
    else if (bounds.isKnown(chunk) &&
      test.keys.fromMin(bounds, chunk) == test.keys.aboveMax(bounds, chunk)) Answer.OutsideBounds
    else Answer.NoEvidence

  private def fromBounds(test: Within, chunk: Int, hasNulls: Boolean): Answer =
    if (test.range.isEmpty) Answer.OutsideBounds
    else if (test.hasNaN) Answer.NaNAbove
    else if (!bounds.isKnown(chunk)) Answer.NoEvidence
    else if (test.range.misses(bounds, chunk)) Answer.OutsideBounds
    else if (!hasNulls && !test.isReal && test.range.covers(bounds, chunk)) Answer.CoversBounds
    else Answer.NoEvidence

  override def fromData(rowGroup: Int, bytes: () => FileBytes): Answer = {
    val answer = fromFooter(rowGroup)
    test match {
      case ofValues: ValueTest if answer.verdict == Verdict.MightMatch && isReadable(rowGroup) =>
        if (holdsBound(ofValues, footer.chunk(rowGroup, column))) Answer.HoldsBound
        else
          try fromData(ofValues, answer, rowGroup, bytes)
          catch {
            case e: IOException if Interruption.is(e) => throw e
            case NonFatal(_) => ColumnLeaf.CannotBeRead
          }
      case _ => answer
    }
  }

  /**
   * Whether a bound passes the test itself. Bounds are mostly values of the chunk, so that nothing
   * else could refute it; asking for literals, which is cheap, is left to the data.
   */
  private def holdsBound(test: ValueTest, chunk: Int): Boolean = test match {
    case membership: Membership if !membership.isNegated => false
    case _ =>
      bounds.isKnown(chunk) && (test.mightPassMin(bounds, chunk) || test
        .mightPassMax(bounds, chunk))
  }

  private def isReadable(rowGroup: Int): Boolean =
    !footer.isUnreadable(footer.chunk(rowGroup, column))

  private def fromData(
      test: ValueTest,
      told: Answer,
      rowGroup: Int,
      bytes: () => FileBytes): Answer =
    evidence.readDictionary(rowGroup, column, test, bytes()) match {
      case DictionaryReader.Readable(dictionary) =>
        if (dictionary.mightHold(test)) Answer.InDictionary else Answer.NotInDictionary
      case other =>
        val answer = literals(test).fold(told)(fromFilter(_, rowGroup, bytes))
        other match {
          case unreadable: DictionaryReader.Unreadable if answer eq Answer.NoEvidence =>
            unreadable.answer
          case _ => answer
        }
    }

  /** The values that a filter can be asked for. */
  private def literals(test: ValueTest): Option[Membership] = test match {
    case _ if node.columnType.physical == Physical.Bool => None
    case membership: Membership if !membership.isNegated && !membership.asksNaN =>
      Some(membership)
    case Every(tests, _) => tests.flatMap(literals(_)).headOption
    case _ => None
  }

  private def fromFilter(test: Membership, rowGroup: Int, bytes: () => FileBytes): Answer = {
    def isUndecided(g: Int) = fromFooter(g).verdict == Verdict.MightMatch
    evidence.readFiltersAhead(rowGroup, column, isUndecided, bytes())
    evidence.readFilter(rowGroup, column, bytes()) match {
      case FilterState.Absent => Answer.NoEvidence
      case rejected: FilterState.Rejected => rejected.answer
      case FilterState.Present(_, _, bitset) =>
        if (containsOneOf(test, footer.chunk(rowGroup, column), bitset)) Answer.InFilter
        else Answer.NotInFilter
    }
  }

  /**
   * Asks for those of the literals alone that lie within the chunk's bounds; if that is all of
   * them, in the order in which their blocks lie.
   */
  private def containsOneOf(test: Membership, chunk: Int, bitset: Array[Byte]): Boolean = {
    val isBounded = bounds.isKnown(chunk)
    val from = if (isBounded) test.keys.fromMin(bounds, chunk) else 0
    val until = if (isBounded) test.keys.aboveMax(bounds, chunk) else test.keys.size
    val isWhole = from == 0 && until == test.hashes.length
    Kernels.containsAny(
      bitset,
      if (isWhole) test.sortedHashes else test.hashes,
      from,
      math.max(from, until))
  }
}

private[parquet] object ColumnLeaf {
  private val CannotBeRead = Answer.unknown("cannot be read")
}
