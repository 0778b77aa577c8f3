package io.sbbf.parquet.literal

import java.util.Arrays

import io.sbbf.core.kernel.Kernels
import io.sbbf.parquet.model.{ColumnType, LeafResult, Physical}
import io.sbbf.parquet.statistics.{Bounds, Range, SortKeys}

/**
 * Represents a leaf's test bound to one column type, with literals as keys and hashes. Immutable
 * and thread-safe.
 */
private[parquet] sealed abstract class BoundPredicate {
  import BoundPredicate.{AllOf, InSet}

  /**
   * Returns literals of which every passing value equals one and by whose hashes it can be found,
   * None if there are no such literals.
   *
   * @param kind the type of the column
   */
  final def literals(kind: ColumnType): Option[InSet] = this match {
    case _ if kind.physical == Physical.Bool => None
    case membership: InSet if !membership.isNegated && !membership.containsNaN =>
      Some(membership)
    case AllOf(tests, _) => tests.flatMap(_.literals(kind)).headOption
    case _ => None
  }
}

private[parquet] object BoundPredicate {

  /**
   * A test that only the null count can decide.
   *
   * @param result the result if the null count does not decide, with the reason
   */
  final case class Unsupported(result: LeafResult) extends BoundPredicate
  case object IsNull extends BoundPredicate
  case object IsNotNull extends BoundPredicate

  /** A test of each value that is not NULL. Its methods return false only if the value fails. */
  sealed abstract class ValueTest extends BoundPredicate {

    /** Returns whether the value with the given PLAIN bytes might pass. */
    def mightPass(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean

    /** Returns whether a literal of the query might pass. */
    def mightPass(keys: SortKeys, index: Int): Boolean

    /** Returns whether the chunk's lower bound might pass, as if it were one of its values. */
    def mightPassMin(bounds: Bounds, chunk: Int): Boolean

    /** Returns whether the chunk's upper bound might pass, as if it were one of its values. */
    def mightPassMax(bounds: Bounds, chunk: Int): Boolean
  }

  /**
   * Represents `In` and `NotIn` for the literals that the column's type can represent.
   *
   * @param keys the literals as keys, in ascending order
   * @param hashes the hashes of the keys, in the order of the keys, as files of that type hash
   *   them. Zero in a floating-point column occurs twice, with equal keys and two hashes.
   * @param isNegated whether this is `NotIn`
   * @param isFloating whether the column may hold NaN, which its bounds leave out
   */
  final class InSet(
      val keys: SortKeys,
      val hashes: Array[Long],
      val isNegated: Boolean,
      val isFloating: Boolean)
      extends ValueTest {

    /** Whether NaN is among the literals. NaN has many encodings, so hashes cannot find it. */
    val containsNaN: Boolean = isFloating && keys.containNaN

    /** The hashes in ascending order, for binary search and for lookups in block order. */
    lazy val sortedHashes: Array[Long] = {
      val sorted = hashes.clone()
      Arrays.sort(sorted)
      sorted
    }

    /** Returns whether the chunk's bounds are known and no literal is within them. */
    def misses(bounds: Bounds, chunk: Int): Boolean =
      bounds.isKnown(chunk) && keys.fromMin(bounds, chunk) == keys.aboveMax(bounds, chunk)

    /**
     * Returns the hashes of the literals that the chunk's bounds do not exclude, or None if these
     * are more than `most`.
     */
    def hashesWithin(bounds: Bounds, chunk: Int, most: Int): Option[Array[Long]] = {
      val from = first(bounds, chunk)
      val until = end(from, bounds, chunk)
      if (until - from > most) None else Some(Arrays.copyOfRange(hashes, from, until))
    }

    /**
     * Returns whether a filter might hold a literal that the chunk's bounds do not exclude. If they
     * exclude none, probes the literals in the order of their blocks.
     */
    def mightBeIn(filter: Array[Byte], bounds: Bounds, chunk: Int): Boolean = {
      val from = first(bounds, chunk)
      val until = end(from, bounds, chunk)
      val isWhole = from == 0 && until == hashes.length
      Kernels.containsAny(filter, if (isWhole) sortedHashes else hashes, from, until)
    }

    /** Returns the index of the first literal that the chunk's bounds do not exclude. */
    private def first(bounds: Bounds, chunk: Int): Int =
      if (bounds.isKnown(chunk)) keys.fromMin(bounds, chunk) else 0

    /** Returns the index after the last such literal. */
    private def end(first: Int, bounds: Bounds, chunk: Int): Int =
      if (bounds.isKnown(chunk)) math.max(first, keys.aboveMax(bounds, chunk)) else keys.size

    /** Returns the literals that might pass all of `tests`. Only valid if not negated. */
    def narrowed(tests: Seq[ValueTest]): InSet = {
      val kept = Array.range(0, keys.size).filter(i => tests.forall(_.mightPass(keys, i)))
      if (kept.length == keys.size) this
      else new InSet(keys.at(kept), kept.map(hashes(_)), isNegated, isFloating)
    }

    override def mightPass(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean =
      keys.contain(kind, plain, at, length) != isNegated
    override def mightPass(others: SortKeys, index: Int): Boolean =
      others.isAmong(index, keys) != isNegated
    override def mightPassMin(bounds: Bounds, chunk: Int): Boolean =
      keys.containMin(bounds, chunk) != isNegated
    override def mightPassMax(bounds: Bounds, chunk: Int): Boolean =
      keys.containMax(bounds, chunk) != isNegated
  }

  /** Represents `Less`, `Greater` or both together. */
  final case class InRange(range: Range, isFloating: Boolean) extends ValueTest {

    /** Whether the range includes NaN. Bounds leave NaN out, so they cannot refute the range. */
    val hasNaN: Boolean = isFloating && range.containsNaN

    override def mightPass(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean =
      range.contains(kind, plain, at, length)
    override def mightPass(keys: SortKeys, index: Int): Boolean = keys.liesIn(index, range)
    override def mightPassMin(bounds: Bounds, chunk: Int): Boolean =
      range.containsMin(bounds, chunk)
    override def mightPassMax(bounds: Bounds, chunk: Int): Boolean =
      range.containsMax(bounds, chunk)
  }

  /**
   * Represents `AllOf`: one value passes all of the tests.
   *
   * @param isWhole whether `tests` are complete; false if unsupported tests were left out
   */
  final case class AllOf(tests: Seq[ValueTest], isWhole: Boolean) extends ValueTest {
    override def mightPass(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean =
      tests.forall(_.mightPass(kind, plain, at, length))
    override def mightPass(keys: SortKeys, index: Int): Boolean =
      tests.forall(_.mightPass(keys, index))
    override def mightPassMin(bounds: Bounds, chunk: Int): Boolean =
      tests.forall(_.mightPassMin(bounds, chunk))
    override def mightPassMax(bounds: Bounds, chunk: Int): Boolean =
      tests.forall(_.mightPassMax(bounds, chunk))
  }
}
