package io.sbbf.parquet.statistics

import java.util.Arrays

import io.sbbf.parquet.model.ColumnType

/** Keys in ascending order. */
private[parquet] sealed abstract class SortKeys {
  def size: Int

  /** Returns whether these are keys of floating-point numbers that include NaN. */
  def containNaN: Boolean

  /** Returns the keys with these indices, which ascend. */
  def at(indices: Array[Int]): SortKeys

  /** Returns the index of the first key that is not below the chunk's lower bound. */
  def fromMin(bounds: Bounds, chunk: Int): Int

  /** Returns the index of the first key that is above the chunk's upper bound. */
  def aboveMax(bounds: Bounds, chunk: Int): Int

  /**
   * Returns whether all keys are surely outside of bounds with these ordinals. A Long is its own
   * ordinal. That of a byte string is [[Bounds.ordinal]], which different strings may share.
   */
  final def missOrdinals(min: Long, max: Long): Boolean = {
    val first = if (size == 1) 0 else search(ordinal(_) >= min)
    first == size || ordinal(first) < min || ordinal(first) > max
  }

  /** Returns whether the first key is surely within bounds with these ordinals. */
  final def isFirstWithin(min: Long, max: Long): Boolean = ordinal(0) > min && ordinal(0) < max

  protected def ordinal(index: Int): Long

  /** Returns whether the chunk's lower bound is among the keys. */
  def containMin(bounds: Bounds, chunk: Int): Boolean
  def containMax(bounds: Bounds, chunk: Int): Boolean

  /** Returns whether the value with the given PLAIN bytes is among the keys. */
  def contain(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean

  /** Returns whether the key with this index is one of `others`, which are of the same kind. */
  def isAmong(index: Int, others: SortKeys): Boolean

  /** Returns whether `range`, which is of the same kind, holds the key with this index. */
  def liesIn(index: Int, range: Range): Boolean

  /** Returns the first index for which `isPast` holds; it must hold for all later ones. */
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

private[parquet] final class LongKeys(private val keys: Array[Long]) extends SortKeys {
  override def size: Int = keys.length
  override def containNaN: Boolean = contains(ColumnType.NaNKey)
  override def at(indices: Array[Int]): SortKeys = new LongKeys(indices.map(keys(_)))
  override def fromMin(bounds: Bounds, chunk: Int): Int = {
    val min = bounds.minLong(chunk)
    search(keys(_) >= min)
  }
  override def aboveMax(bounds: Bounds, chunk: Int): Int = {
    val max = bounds.maxLong(chunk)
    search(keys(_) > max)
  }
  override protected def ordinal(index: Int): Long = keys(index)
  override def containMin(bounds: Bounds, chunk: Int): Boolean = contains(bounds.minLong(chunk))
  override def containMax(bounds: Bounds, chunk: Int): Boolean = contains(bounds.maxLong(chunk))
  override def contain(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean =
    contains(kind.longKey(plain, at))
  override def isAmong(index: Int, others: SortKeys): Boolean = others match {
    case longs: LongKeys => longs.contains(keys(index))
    case _ => throw new IllegalArgumentException("the keys are of different kinds")
  }
  override def liesIn(index: Int, range: Range): Boolean = range match {
    case longs: LongRange => longs.contains(keys(index))
    case _ => throw new IllegalArgumentException("the range and the keys are of different kinds")
  }
  private def contains(key: Long): Boolean = Arrays.binarySearch(keys, key) >= 0
}

private[parquet] final class BytesKeys(private val keys: Array[Array[Byte]]) extends SortKeys {
  private val ordinals = keys.map(key => Bounds.ordinal(key, 0, key.length))

  override def size: Int = keys.length
  override def containNaN: Boolean = false
  override def at(indices: Array[Int]): SortKeys = new BytesKeys(indices.map(keys(_)))
  override def fromMin(bounds: Bounds, chunk: Int): Int =
    search(i => bounds.compareWithMin(keys(i), chunk) >= 0)
  override def aboveMax(bounds: Bounds, chunk: Int): Int =
    search(i => bounds.compareWithMax(keys(i), chunk) > 0)
  override protected def ordinal(index: Int): Long = ordinals(index)
  override def containMin(bounds: Bounds, chunk: Int): Boolean = {
    val i = fromMin(bounds, chunk)
    i < size && bounds.compareWithMin(keys(i), chunk) == 0
  }
  override def containMax(bounds: Bounds, chunk: Int): Boolean = {
    val i = aboveMax(bounds, chunk) - 1
    i >= 0 && bounds.compareWithMax(keys(i), chunk) == 0
  }
  override def contain(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean =
    contains(kind.bytesKey(Arrays.copyOfRange(plain, at, at + length)))
  override def isAmong(index: Int, others: SortKeys): Boolean = others match {
    case bytes: BytesKeys => bytes.contains(keys(index))
    case _ => throw new IllegalArgumentException("the keys are of different kinds")
  }
  override def liesIn(index: Int, range: Range): Boolean = range match {
    case bytes: BytesRange => bytes.contains(keys(index))
    case _ => throw new IllegalArgumentException("the range and the keys are of different kinds")
  }
  private def contains(key: Array[Byte]): Boolean = {
    val i = search(i => Bounds.compare(keys(i), key) >= 0)
    i < size && Arrays.equals(keys(i), key)
  }
}
