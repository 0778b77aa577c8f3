package io.sbbf.parquet.statistics

import java.util.Arrays

import io.sbbf.parquet.model.ColumnType

/** Keys in ascending order. */
private[parquet] sealed abstract class SortKeys {
  def size: Int

  /** Whether they are of real numbers and NaN is among them. */
  def containNaN: Boolean

  /** Those with these indices, which ascend. */
  def at(indices: Array[Int]): SortKeys

  /** The first of the keys that is not below the chunk's lower bound. */
  def fromMin(bounds: Bounds, chunk: Int): Int

  /** The first of the keys that is above the chunk's upper bound. */
  def aboveMax(bounds: Bounds, chunk: Int): Int

  /** Whether the chunk's lower bound is among the keys. */
  def containMin(bounds: Bounds, chunk: Int): Boolean
  def containMax(bounds: Bounds, chunk: Int): Boolean

  /** Whether the value whose PLAIN bytes are given is among the keys. */
  def contain(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean

  /** Whether the key with this index is one of `others`, which are of the same kind. */
  def isAmong(index: Int, others: SortKeys): Boolean

  /** Whether the key with this index lies in the range, which is of the same kind. */
  def liesIn(index: Int, range: Range): Boolean

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
  override def containMin(bounds: Bounds, chunk: Int): Boolean = contains(bounds.minLong(chunk))
  override def containMax(bounds: Bounds, chunk: Int): Boolean = contains(bounds.maxLong(chunk))
  override def contain(kind: ColumnType, plain: Array[Byte], at: Int, length: Int): Boolean =
    contains(kind.longKey(plain, at))
  override def isAmong(index: Int, others: SortKeys): Boolean = others match {
    case longs: LongKeys => longs.contains(keys(index))
    case _ => throw new IllegalArgumentException("keys of another kind")
  }
  override def liesIn(index: Int, range: Range): Boolean = range match {
    case longs: LongRange => longs.contains(keys(index))
    case _ => throw new IllegalArgumentException("a range of another kind")
  }
  private def contains(key: Long): Boolean = Arrays.binarySearch(keys, key) >= 0
}

private[parquet] final class BytesKeys(private val keys: Array[Array[Byte]]) extends SortKeys {
  override def size: Int = keys.length
  override def containNaN: Boolean = false
  override def at(indices: Array[Int]): SortKeys = new BytesKeys(indices.map(keys(_)))
  override def fromMin(bounds: Bounds, chunk: Int): Int =
    search(i => bounds.compareWithMin(keys(i), chunk) >= 0)
  override def aboveMax(bounds: Bounds, chunk: Int): Int =
    search(i => bounds.compareWithMax(keys(i), chunk) > 0)
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
    case _ => throw new IllegalArgumentException("keys of another kind")
  }
  override def liesIn(index: Int, range: Range): Boolean = range match {
    case bytes: BytesRange => bytes.contains(keys(index))
    case _ => throw new IllegalArgumentException("a range of another kind")
  }
  private def contains(key: Array[Byte]): Boolean = {
    val i = search(i => Bounds.compare(keys(i), key) >= 0)
    i < size && Arrays.equals(keys(i), key)
  }
}
