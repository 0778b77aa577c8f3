package io.sbbf.parquet.literal

import java.util.Arrays

import io.sbbf.parquet.model.{ColumnType, LeafResult}
import io.sbbf.parquet.statistics.{Bounds, Range, SortKeys}

/**
 * A leaf's test in the terms of one column type: literals became keys and hashes. Immutable,
 * thread-safe.
 */
private[parquet] sealed abstract class BoundPredicate

private[parquet] object BoundPredicate {

  /** Nothing but the null count can tell; `answer` says why. */
  final case class Unsupported(answer: LeafResult) extends BoundPredicate
  case object IsNull extends BoundPredicate
  case object IsNotNull extends BoundPredicate

  /** A test of each value that is not NULL. */
  sealed abstract class ValueTest extends BoundPredicate {

    /** False only if the value whose PLAIN bytes are given does not pass. */
    def mightPass(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean

    /** The same for a literal of the query. */
    def mightPass(keys: SortKeys, index: Int): Boolean

    /** The same for the chunk's lower bound, as if it were one of its values. */
    def mightPassMin(bounds: Bounds, chunk: Int): Boolean

    /** And for the upper one. */
    def mightPassMax(bounds: Bounds, chunk: Int): Boolean
  }

  /**
   * `In` and `NotIn`, of the literals that the column's type can represent.
   *
   * @param hashes one for each of the keys, in their order, as a file of that type hashes them;
   *   both zeros of a real number are there, with one key and two hashes
   * @param isFloating whether the column may hold a NaN, which its bounds leave out
   */
  final class InSet(
      val keys: SortKeys,
      val hashes: Array[Long],
      val isNegated: Boolean,
      val isFloating: Boolean)
      extends ValueTest {

    /** Whether NaN is among the literals: it has many encodings, so that no hash tells. */
    val asksNaN: Boolean = isFloating && keys.containNaN

    /** The hashes in their own order, to look up those of a dictionary. */
    lazy val sortedHashes: Array[Long] = {
      val sorted = hashes.clone()
      Arrays.sort(sorted)
      sorted
    }

    /** The literals that might pass other tests too; not of a negated one. */
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

  /** `Less`, `Greater` and both at once. */
  final case class InRange(range: Range, isFloating: Boolean) extends ValueTest {

    /** Bounds leave NaN out, so that they tell nothing about a range that has it. */
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
   * `AllOf`: one value passes all of the tests.
   *
   * @param isWhole whether they are all that is asked; others cannot be decided
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
