package io.sbbf.parquet.statistics

import java.util.Arrays

import io.sbbf.parquet.model.ColumnType

/** The keys on one side of a literal, or between two literals. */
private[parquet] sealed abstract class Range {

  /** Returns whether the range holds no value, whatever the bounds. */
  def isEmpty: Boolean

  /**
   * Returns whether this is a range of floating-point numbers that holds NaN, which is above all
   * of them.
   */
  def containsNaN: Boolean

  /** Returns whether the range holds no key within the chunk's bounds. */
  def misses(bounds: Bounds, chunk: Int): Boolean

  /** Returns whether the range holds all keys within the chunk's bounds. */
  def covers(bounds: Bounds, chunk: Int): Boolean

  /** Returns whether the range holds the chunk's lower bound. */
  def containsMin(bounds: Bounds, chunk: Int): Boolean
  def containsMax(bounds: Bounds, chunk: Int): Boolean

  /** Returns whether the range holds the value with the given PLAIN bytes. */
  def contains(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean

  /** Returns the keys in both ranges, which are of one kind. */
  def and(other: Range): Range
}

/** The keys from `low` to `high`, both included. Empty if `low` is above `high`. */
private[parquet] final case class LongRange(low: Long, high: Long) extends Range {
  override def isEmpty: Boolean = low > high
  override def containsNaN: Boolean = contains(ColumnType.NaNKey)
  override def misses(bounds: Bounds, chunk: Int): Boolean =
    bounds.maxLong(chunk) < low || bounds.minLong(chunk) > high
  override def covers(bounds: Bounds, chunk: Int): Boolean =
    bounds.minLong(chunk) >= low && bounds.maxLong(chunk) <= high
  override def containsMin(bounds: Bounds, chunk: Int): Boolean = contains(bounds.minLong(chunk))
  override def containsMax(bounds: Bounds, chunk: Int): Boolean = contains(bounds.maxLong(chunk))
  override def contains(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean =
    contains(kind.longKey(plain, at))
  def contains(key: Long): Boolean = low <= key && key <= high
  override def and(other: Range): Range = other match {
    case LongRange(l, h) => LongRange(math.max(low, l), math.min(high, h))
    case _ => throw new IllegalArgumentException("the ranges are of different kinds")
  }

  /** Returns the keys from `low` to `high`, if there are no more than `most` of them. */
  def keys(most: Int): Option[Array[Long]] = {
    val steps = high - low
    // a negative difference has overflowed, or the range is empty
    if (steps < 0 || steps >= most) None
    else Some(Array.tabulate(steps.toInt + 1)(low + _))
  }
}

/** The keys from `low`, if there is one, to `high`, if there is one. */
private[parquet] final case class BytesRange(
    low: Option[BytesRange.End],
    high: Option[BytesRange.End])
    extends Range {
  import BytesRange.End

  // nothing is below the empty string
  override def isEmpty: Boolean = high.exists(end =>
    end.key.isEmpty && !end.isIncluded || isAbove(Bounds.compare(_, end.key)) ||
      low.exists(l => Arrays.equals(l.key, end.key)) && !contains(end.key))
  override def containsNaN: Boolean = false
  override def misses(bounds: Bounds, chunk: Int): Boolean =
    isAbove(bounds.compareWithMax(_, chunk)) || isBelow(bounds.compareWithMin(_, chunk))
  override def covers(bounds: Bounds, chunk: Int): Boolean =
    !isAbove(bounds.compareWithMin(_, chunk)) && !isBelow(bounds.compareWithMax(_, chunk))
  override def containsMin(bounds: Bounds, chunk: Int): Boolean =
    holds(bounds.compareWithMin(_, chunk))
  override def containsMax(bounds: Bounds, chunk: Int): Boolean =
    holds(bounds.compareWithMax(_, chunk))
  override def contains(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean =
    contains(kind.bytesKey(Arrays.copyOfRange(plain, at, at + length)))
  def contains(key: Array[Byte]): Boolean = holds(Bounds.compare(_, key))

  override def and(other: Range): Range = other match {
    case BytesRange(l, h) =>
      BytesRange(tighter(low, l, (order: Int) => order > 0), tighter(high, h, _ < 0))
    case _ => throw new IllegalArgumentException("the ranges are of different kinds")
  }

  private def tighter(a: Option[End], b: Option[End], wins: Int => Boolean): Option[End] =
    (a, b) match {
      case (Some(x), Some(y)) =>
        val order = Bounds.compare(x.key, y.key)
        if (order == 0) Some(End(x.key, x.isIncluded && y.isIncluded))
        else if (wins(order)) a
        else b
      case _ => a.orElse(b)
    }

  /** @param compare the order of a key of the range relative to the value that is tested */
  private def holds(compare: Array[Byte] => Int): Boolean = !isAbove(compare) && !isBelow(compare)

  private def isAbove(compare: Array[Byte] => Int): Boolean = low.exists { end =>
    val order = compare(end.key)
    order > 0 || order == 0 && !end.isIncluded
  }

  private def isBelow(compare: Array[Byte] => Int): Boolean = high.exists { end =>
    val order = compare(end.key)
    order < 0 || order == 0 && !end.isIncluded
  }
}

private[parquet] object BytesRange {
  final case class End(key: Array[Byte], isIncluded: Boolean)
}
