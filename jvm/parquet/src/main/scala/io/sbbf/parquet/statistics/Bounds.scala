package io.sbbf.parquet.statistics

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import io.sbbf.core.predicate.BytePrefix
import io.sbbf.parquet.model.{ColumnType, KeyKind}

/**
 * The lowest and the highest key of each column chunk, as far as its statistics are valid.
 * Immutable.
 *
 * `blob` holds the chunks' entries one after the other. An entry is two little-endian Longs, or
 * two keys in bytes, each after its length.
 *
 * @param starts the start of each chunk's entry; [[Bounds.Unknown]] if there is none
 */
private[parquet] final class Bounds(starts: Array[Int], blob: Array[Byte]) {
  import Bounds._

  def isKnown(chunk: Int): Boolean = starts.length > 0 && starts(chunk) != Unknown

  def minLong(chunk: Int): Long = ColumnType.long(blob, starts(chunk))
  def maxLong(chunk: Int): Long = ColumnType.long(blob, starts(chunk) + 8)

  /**
   * Returns a negative number, zero or a positive number if the key is below, at or above the
   * lower bound.
   */
  def compareWithMin(key: Array[Byte], chunk: Int): Int = {
    val at = starts(chunk)
    compare(key, 0, key.length, blob, at + 1, blob(at) & 0xff)
  }

  def compareWithMax(key: Array[Byte], chunk: Int): Int = {
    val at = starts(chunk) + 1 + (blob(starts(chunk)) & 0xff)
    val length = blob(at) & 0xff
    if (length == Endless) -1 else compare(key, 0, key.length, blob, at + 1, length)
  }

  /** Returns the lower bound if keys are Longs, and otherwise its [[Bounds.ordinal]]. */
  def minOrdinal(chunk: Int, kind: KeyKind): Long =
    if (kind == KeyKind.Longs) minLong(chunk)
    else ordinal(starts(chunk))

  def maxOrdinal(chunk: Int, kind: KeyKind): Long =
    if (kind == KeyKind.Longs) maxLong(chunk)
    else {
      val at = starts(chunk) + 1 + (blob(starts(chunk)) & 0xff)
      if ((blob(at) & 0xff) == Endless) Long.MaxValue else ordinal(at)
    }

  /** @param at the place of the key's length */
  private def ordinal(at: Int): Long = Bounds.ordinal(blob, at + 1, blob(at) & 0xff)

  def retainedBytes: Long = 64L + 4L * starts.length + blob.length
}

private[parquet] object Bounds {
  private val Unknown = -1

  /**
   * The longest bound that is stored in full. Longer bounds are cut, so that long texts do not
   * fill the cache.
   */
  private val MaxKeyBytes = 64

  /** Stands for the length of an upper bound if no bytes are above the chunk's values. */
  private val Endless = 0xff

  /** Compares unsigned and lexicographically, the order of BYTE_ARRAY columns. */
  def compare(a: Array[Byte], b: Array[Byte]): Int = compare(a, 0, a.length, b, 0, b.length)

  /**
   * Returns the first eight bytes as a signed number, padded with zeros. If one string sorts before
   * another, its number is lower or equal.
   */
  def ordinal(bytes: Array[Byte], from: Int, length: Int): Long = {
    var prefix = 0L
    var i = 0
    while (i < 8) {
      prefix = prefix << 8 | (if (i < length) bytes(from + i) & 0xffL else 0L)
      i += 1
    }
    prefix ^ Long.MinValue
  }

  private def compare(
      a: Array[Byte],
      aFrom: Int,
      aLength: Int,
      b: Array[Byte],
      bFrom: Int,
      bLength: Int): Int = {
    val shared = math.min(aLength, bLength)
    var i = 0
    while (i < shared && a(aFrom + i) == b(bFrom + i)) i += 1
    if (i < shared) (a(aFrom + i) & 0xff) - (b(bFrom + i) & 0xff) else aLength - bLength
  }

  /** The result of adding the bounds of a chunk. */
  sealed abstract class Finding(val isUsable: Boolean)

  /** Both bounds are one and the same key, and neither was cut. */
  case object Equal extends Finding(isUsable = true)
  case object Apart extends Finding(isUsable = true)
  case object Unusable extends Finding(isUsable = false)

  /** The bounds cannot be right: no reader may use them. */
  case object Contradictory extends Finding(isUsable = false)

  /** Collects the bounds of a file's chunks. */
  final class Builder(numChunks: Int) {
    private val starts = Array.fill(numChunks)(Unknown)
    private val blob = new ByteArrayOutputStream

    /**
     * Adds the bounds of a chunk, given in PLAIN encoding, unless they are unusable or contradict
     * themselves. Bounds are unusable for a type without order, with a length other than the type's,
     * or if one is NaN.
     *
     * @param isInexact whether the writer marked a bound as no value of the chunk
     */
    def add(
        chunk: Int,
        kind: ColumnType,
        min: Array[Byte],
        max: Array[Byte],
        isInexact: Boolean): Finding =
      if (!kind.isOrdered || kind.width >= 0 && (min.length != kind.width || max.length != kind.width))
        Unusable
      else if (kind.keys == KeyKind.Longs) addLongs(chunk, kind, min, max, isInexact)
      else if (kind.keys == KeyKind.Bytes)
        addBytes(chunk, kind.bytesKey(min), kind.bytesKey(max), isInexact)
      else Unusable

    def build(): Bounds =
      if (blob.size == 0) new Bounds(new Array[Int](0), new Array[Byte](0))
      else new Bounds(starts, blob.toByteArray)

    private def addLongs(
        chunk: Int,
        kind: ColumnType,
        minPlain: Array[Byte],
        maxPlain: Array[Byte],
        isInexact: Boolean): Finding = {
      val min = kind.longKey(minPlain, 0)
      val max = kind.longKey(maxPlain, 0)
      val isNaN = kind.isFloating && (min == ColumnType.NaNKey || max == ColumnType.NaNKey)
      val finding = if (isNaN) Unusable else compared(java.lang.Long.compare(min, max), isInexact)
      if (finding.isUsable) {
        starts(chunk) = blob.size
        val entry = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN)
        blob.write(entry.putLong(min).putLong(max).array, 0, 16)
      }
      finding
    }

    private def addBytes(
        chunk: Int,
        min: Array[Byte],
        max: Array[Byte],
        isInexact: Boolean): Finding = {
      val finding = compared(compare(min, max), isInexact)
      if (finding.isUsable) {
        starts(chunk) = blob.size
        writeKey(if (min.length > MaxKeyBytes) Arrays.copyOf(min, MaxKeyBytes) else min)
        if (max.length > MaxKeyBytes) writeAbove(Arrays.copyOf(max, MaxKeyBytes))
        else writeKey(max)
      }
      if (finding == Equal && max.length > MaxKeyBytes) Apart else finding
    }

    /**
     * @param order the order of the lower bound relative to the upper one. Inexact bounds are equal
     *   only if the writer cut a text and forgot to raise the upper bound, which is then below
     *   values of the chunk.
     */
    private def compared(order: Int, isInexact: Boolean): Finding =
      if (order > 0 || order == 0 && isInexact) Contradictory
      else if (order == 0) Equal
      else Apart

    private def writeKey(key: Array[Byte]): Unit = {
      blob.write(key.length)
      blob.write(key, 0, key.length)
    }

    private def writeAbove(prefix: Array[Byte]): Unit =
      BytePrefix.end(prefix).fold(blob.write(Endless))(writeKey)
  }
}
