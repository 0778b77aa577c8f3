package io.sbbf.parquet.chunk

import java.util.Arrays

import io.sbbf.core.bloom.XxHash64
import io.sbbf.parquet.literal.BoundPredicate.{InSet, ValueTest}
import io.sbbf.parquet.model.ColumnType

/**
 * Holds the entries of a column chunk's dictionary page. All data pages of the chunk use the
 * dictionary, so the entries are exactly the values of the chunk, except NULL. Immutable and
 * thread-safe.
 *
 * @param kind the type of the column
 * @param hashes the hashes of the entries in PLAIN encoding, in ascending order
 * @param plain the page itself, or null if it is too large to be kept
 */
private[parquet] final class ChunkDictionary(
    kind: ColumnType,
    hashes: Array[Long],
    plain: Array[Byte]) {
  import ChunkDictionary._

  /** Returns whether the test can be evaluated; if not, the page has to be read again. */
  def canEvaluate(test: ValueTest): Boolean = plain != null || hashesDecide(test)

  /** Returns whether a value of the chunk might pass; false only if none passes. */
  def mightHold(test: ValueTest): Boolean = test match {
    case literals: InSet if hashesDecide(literals) =>
      if (hashes.length < literals.hashes.length) overlaps(hashes, literals.sortedHashes)
      else overlaps(literals.sortedHashes, hashes)
    case _ =>
      !forall(kind, plain)((at, length) => !test.mightPass(kind, plain, at, length))
  }

  /**
   * Passes each of some hashes that is the hash of an entry to `found`.
   *
   * @param others hashes in ascending order
   */
  def foreachIn(others: Array[Long])(found: Long => Unit): Unit = {
    val (few, many) = if (hashes.length < others.length) (hashes, others) else (others, hashes)
    few.foreach(hash => if (Arrays.binarySearch(many, hash) >= 0) found(hash))
  }

  /** Returns the dictionary for the cache, which has no page if the page is large. */
  def remembered: ChunkDictionary =
    if (plain == null || plain.length <= MaxRemembered) this
    else new ChunkDictionary(kind, hashes, null)

  private def overlaps(few: Array[Long], many: Array[Long]): Boolean = {
    var i = 0
    while (i < few.length && Arrays.binarySearch(many, few(i)) < 0) i += 1
    i < few.length
  }

  def retainedBytes: Long = 64L + 8L * hashes.length + (if (plain == null) 0 else plain.length)
}

private[parquet] object ChunkDictionary {

  /**
   * Limits the bytes of a page that is kept, which ranges and excluded values need. This is enough
   * for columns with few values.
   */
  private final val MaxRemembered = 4096

  /** Returns whether hashes suffice. They do for literals, except NaN: it has many encodings. */
  private def hashesDecide(test: ValueTest): Boolean = test match {
    case literals: InSet => !literals.isNegated && !literals.containsNaN
    case _ => false
  }

  /**
   * Returns the dictionary, or None unless `numValues` values in PLAIN encoding fill the page
   * exactly.
   */
  def of(kind: ColumnType, page: Array[Byte], numValues: Int): Option[ChunkDictionary] = {
    val atLeast = if (kind.width < 0) 4L else kind.width.toLong
    if (numValues < 0 || numValues * atLeast > page.length) None
    else {
      val hashes = new Array[Long](numValues)
      var count = 0
      val isWhole = forall(kind, page) { (at, length) =>
        val isExpected = count < numValues
        if (isExpected) hashes(count) = XxHash64.hashBytes(page, at, length)
        count += 1
        isExpected
      }
      if (isWhole && count == numValues) {
        Arrays.sort(hashes)
        Some(new ChunkDictionary(kind, hashes, page))
      } else None
    }
  }

  /**
   * Returns whether the page ends at the end of a value and `isGood` holds for all values.
   *
   * @param isGood a test of a value's position and length
   */
  private def forall(kind: ColumnType, page: Array[Byte])(
      isGood: (Int, Int) => Boolean): Boolean = {
    var at = 0
    var isFine = true
    while (isFine && at < page.length) {
      val start = if (kind.width < 0) at + 4 else at
      val length =
        if (kind.width >= 0) kind.width
        else if (page.length - at < 4) -1
        else ColumnType.int(page, at)
      isFine = length >= 0 && length <= page.length - start && isGood(start, length)
      at = start + length
    }
    isFine
  }
}
