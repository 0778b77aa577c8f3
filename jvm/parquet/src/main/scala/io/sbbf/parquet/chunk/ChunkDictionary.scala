package io.sbbf.parquet
package chunk

import java.util.Arrays

import io.sbbf.core.XxHash64
import io.sbbf.parquet.footer.ColumnType
import io.sbbf.parquet.literal.{ColumnTest, Keys}

/**
 * The entries of a column chunk's dictionary page, all of whose data pages use it: exactly the
 * values of the chunk, NULL aside. Immutable, thread-safe.
 *
 * @param hashes of the entries in PLAIN encoding, ascending
 * @param plain the page itself if it is small enough to be remembered, else null
 */
private[parquet] final class ChunkDictionary(
    kind: ColumnType,
    hashes: Array[Long],
    plain: Array[Byte]) {

  /** False only if no value of the chunk is among the keys. */
  def mightContainOneOf(test: ColumnTest.Membership): Boolean =
    if (hashes.length < test.hashes.length) overlaps(hashes, test.sortedHashes)
    else overlaps(test.sortedHashes, hashes)

  private def overlaps(few: Array[Long], many: Array[Long]): Boolean = {
    var i = 0
    while (i < few.length && Arrays.binarySearch(many, few(i)) < 0) i += 1
    i < few.length
  }

  /**
   * True only if every value of the chunk is among the keys, compared as such and not by their
   * hashes.
   */
  def isAllWithin(keys: Keys): Boolean =
    plain != null && ChunkDictionary.forall(kind, plain)((at, length) =>
      keys.contain(kind, plain, at, length))

  def retainedBytes: Long = 64L + 8L * hashes.length + (if (plain == null) 0 else plain.length)
}

private[parquet] object ChunkDictionary {

  /** Enough for the columns whose values a query can all exclude. */
  private final val MaxRemembered = 4096

  /** @return None unless `numValues` values in PLAIN encoding fill the page exactly */
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
        Some(new ChunkDictionary(kind, hashes, if (page.length <= MaxRemembered) page else null))
      } else None
    }
  }

  /**
   * Whether the page ends with a value's end and `isGood` holds for all of them, given by place
   * and length.
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
