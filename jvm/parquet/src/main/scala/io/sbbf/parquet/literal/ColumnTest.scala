package io.sbbf.parquet
package literal

import java.util.Arrays

import io.sbbf.parquet.footer.{Bounds, ColumnType}

/**
 * A leaf's test in the terms of one column type: literals became keys and hashes. Immutable,
 * thread-safe.
 */
private[parquet] sealed abstract class ColumnTest

private[parquet] object ColumnTest {

  /** Nothing but the null count can tell; `answer` says why. */
  final case class Undecidable(answer: Answer) extends ColumnTest
  case object IsNull extends ColumnTest
  case object IsNotNull extends ColumnTest

  /**
   * `In` and `NotIn`, of the literals that the column's type can represent.
   *
   * @param hashes one for each of the keys, in their order, as a file of that type hashes them;
   *   both zeros of a real number are there, with one key and two hashes
   * @param isReal whether the column may hold a NaN, which its bounds leave out
   */
  final class Membership(
      val keys: Keys,
      val hashes: Array[Long],
      val isNegated: Boolean,
      val isReal: Boolean)
      extends ColumnTest {

    /** The hashes in their own order, to look up those of a dictionary. */
    lazy val sortedHashes: Array[Long] = {
      val sorted = hashes.clone()
      Arrays.sort(sorted)
      sorted
    }
  }

  /** `Less` and `Greater`. */
  final case class Within(range: Range, isReal: Boolean) extends ColumnTest
}

/** Keys in ascending order. */
private[parquet] sealed abstract class Keys {
  def size: Int

  /** The first of the keys that is not below the chunk's lower bound. */
  def fromMin(bounds: Bounds, chunk: Int): Int

  /** The first of the keys that is above the chunk's upper bound. */
  def aboveMax(bounds: Bounds, chunk: Int): Int

  /** Whether the value whose PLAIN bytes are given is among the keys. */
  def contain(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean

  /** The first index for which `isPast` holds; it must hold for all later ones. */
  protected final def search(isPast: Int => Boolean): Int = {
    var from = 0
    var until = size
    while (from < until) {
      val middle = (from + until) >>> 1
      if (isPast(middle)) until = middle else from = middle + 1
    }
    from
  }
}

private[parquet] final class LongKeys(keys: Array[Long]) extends Keys {
  override def size: Int = keys.length
  override def fromMin(bounds: Bounds, chunk: Int): Int = {
    val min = bounds.minLong(chunk)
    search(keys(_) >= min)
  }
  override def aboveMax(bounds: Bounds, chunk: Int): Int = {
    val max = bounds.maxLong(chunk)
    search(keys(_) > max)
  }
  override def contain(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean =
    Arrays.binarySearch(keys, kind.longKey(plain, at)) >= 0
}

private[parquet] final class BytesKeys(keys: Array[Array[Byte]]) extends Keys {
  override def size: Int = keys.length
  override def fromMin(bounds: Bounds, chunk: Int): Int =
    search(i => bounds.compareWithMin(keys(i), chunk) >= 0)
  override def aboveMax(bounds: Bounds, chunk: Int): Int =
    search(i => bounds.compareWithMax(keys(i), chunk) > 0)
  override def contain(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean = {
    val key = kind.bytesKey(Arrays.copyOfRange(plain, at, at + length))
    val i = search(i => Bounds.compare(keys(i), key) >= 0)
    i < size && Arrays.equals(keys(i), key)
  }
}

/** Keys on one side of a literal. */
private[parquet] sealed abstract class Range {

  /** Whether no value can lie in it, whatever the bounds. */
  def isEmpty: Boolean = false

  /** Whether no key within the chunk's bounds lies in the range. */
  def misses(bounds: Bounds, chunk: Int): Boolean

  /** Whether all do. */
  def covers(bounds: Bounds, chunk: Int): Boolean
}

private[parquet] case object Everything extends Range {
  override def misses(bounds: Bounds, chunk: Int): Boolean = false
  override def covers(bounds: Bounds, chunk: Int): Boolean = true
}

/** From `low` to `high`, both included; empty if `low` is above. */
private[parquet] final case class LongRange(low: Long, high: Long) extends Range {
  override def isEmpty: Boolean = low > high
  override def misses(bounds: Bounds, chunk: Int): Boolean =
    bounds.maxLong(chunk) < low || bounds.minLong(chunk) > high
  override def covers(bounds: Bounds, chunk: Int): Boolean =
    bounds.minLong(chunk) >= low && bounds.maxLong(chunk) <= high
}

private[parquet] final case class BytesBelow(key: Array[Byte], orEqual: Boolean) extends Range {
  override def misses(bounds: Bounds, chunk: Int): Boolean = {
    val order = bounds.compareWithMin(key, chunk)
    order < 0 || order == 0 && !orEqual
  }
  override def covers(bounds: Bounds, chunk: Int): Boolean = {
    val order = bounds.compareWithMax(key, chunk)
    order > 0 || order == 0 && orEqual
  }
}

private[parquet] final case class BytesAbove(key: Array[Byte], orEqual: Boolean) extends Range {
  override def misses(bounds: Bounds, chunk: Int): Boolean = {
    val order = bounds.compareWithMax(key, chunk)
    order > 0 || order == 0 && !orEqual
  }
  override def covers(bounds: Bounds, chunk: Int): Boolean = {
    val order = bounds.compareWithMin(key, chunk)
    order < 0 || order == 0 && orEqual
  }
}
