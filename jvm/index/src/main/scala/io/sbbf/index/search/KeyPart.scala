package io.sbbf.index.search

import java.nio.ByteOrder
import java.util.{Arrays, HashMap}

import scala.collection.mutable.ArrayBuffer
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetFileReader

import io.sbbf.index.format.{CheckedFile, DamagedIndex, KeyPage, StoredPart}
import io.sbbf.parquet.input.FileBytes

/**
 * A file of keys whose page index is in memory. Immutable and thread-safe.
 *
 * @param firstKeys the first key of each page
 * @param numKeys the number of keys of each page
 * @param ofKeys the positions of the pages of keys
 * @param ofRowGroups the positions of the pages of row groups
 */
private[index] final class KeyPart private (
    path: Path,
    length: Long,
    firstKeys: Array[Long],
    numKeys: Array[Int],
    ofKeys: KeyPart.PagePositions,
    ofRowGroups: KeyPart.PagePositions) {
  import KeyPart._

  /**
   * Passes the row groups that hold one of the keys to `use`, some more than once. A page is read at
   * most once.
   *
   * @param keys keys in ascending order, each once
   * @throws java.io.IOException if the file cannot be read or is damaged
   */
  def find(keys: Array[Long], conf: Configuration, reads: ReadCounter)(use: Int => Unit): Unit = {
    val bytes = new FileBytes(path.getFileSystem(conf), path, length)
    var pages = 0
    try {
      val held = new ArrayBuffer[Held]
      read(bytes, pagesOf(keys), ofKeys) { (span, page) =>
        pages += 1
        val positions = span.positions(keys, KeyPage.keys(page, numKeys(span.page)))
        if (positions.nonEmpty) held += new Held(span.page, positions)
      }
      read(bytes, held.toSeq, ofRowGroups) { (some, page) =>
        pages += 1
        KeyPage.rowGroups(page, numKeys(some.page), some.positions)(use)
      }
    } catch named
    finally {
      reads.count(pages, bytes)
      bytes.close()
    }
  }

  def numPages: Int = firstKeys.length

  /**
   * Passes each key of some pages to `use`, with each of its row groups.
   *
   * @param some the numbers of the pages, ascending
   * @throws java.io.IOException if the file cannot be read or is damaged
   */
  def entries(some: Seq[Int], conf: Configuration)(use: (Long, Int) => Unit): Unit = {
    val bytes = new FileBytes(path.getFileSystem(conf), path, length)
    try {
      val pages = some.map(new Whole(_))
      val keys = new HashMap[Int, Array[Long]]
      read(bytes, pages, ofKeys)((of, page) =>
        keys.put(of.page, KeyPage.keys(page, numKeys(of.page))))
      read(bytes, pages, ofRowGroups) { (of, page) =>
        val ofPage = keys.remove(of.page)
        KeyPage.entries(page, numKeys(of.page))((key, rowGroup) => use(ofPage(key), rowGroup))
      }
    } catch named
    finally bytes.close()
  }

  private def named: PartialFunction[Throwable, Nothing] = { case e: DamagedIndex =>
    throw e.in(path)
  }

  /** Returns the pages that may hold a key, with the keys that each may hold. */
  private def pagesOf(keys: Array[Long]): Seq[Span] = {
    val spans = new ArrayBuffer[Span]
    var from = 0
    while (from < keys.length) {
      val page = pageOf(keys(from))
      val end = if (page + 1 < firstKeys.length) firstKeys(page + 1) else Long.MaxValue
      var until = from + 1
      while (until < keys.length && keys(until) < end) until += 1
      if (page >= 0) spans += new Span(page, from, until)
      from = until
    }
    spans.toSeq
  }

  /** Returns the last page that begins at or before the key, -1 if all begin after it. */
  private def pageOf(key: Long): Int = {
    val found = Arrays.binarySearch(firstKeys, key)
    if (found >= 0) found else -found - 2
  }

  /** Passes some pages to `use`, in their order. Those that lie close together are read at once. */
  private def read[P <: PageLookup](bytes: FileBytes, pages: Seq[P], of: PagePositions)(
      use: (P, Array[Byte]) => Unit): Unit = {
    var from = 0
    while (from < pages.size) {
      val start = of.offsets(pages(from).page)
      var until = from + 1
      while (until < pages.size && {
          val (before, next) = (pages(until - 1).page, pages(until).page)
          of.offsets(next) - of.end(before) <= MostGap && of.end(next) - start <= MostAtOnce
        }) until += 1
      val run = bytes.read(start, (of.end(pages(until - 1).page) - start).toInt)
      pages.slice(from, until).foreach { lookup =>
        val at = (of.offsets(lookup.page) - start).toInt
        use(lookup, Arrays.copyOfRange(run, at, at + of.lengths(lookup.page)))
      }
      from = until
    }
  }
}

private[index] object KeyPart {

  /** Bytes between two pages that cost less to read than another request. */
  private final val MostGap = 64L * 1024
  private final val MostAtOnce = 8L * 1024 * 1024

  /** The positions of the pages of a column in the file. */
  final class PagePositions(val offsets: Array[Long], val lengths: Array[Int]) {
    def end(page: Int): Long = offsets(page) + lengths(page)
  }

  private sealed abstract class PageLookup {
    def page: Int
  }

  /** A page that may hold the keys of a lookup at `from` until `until`. */
  private final class Span(override val page: Int, from: Int, until: Int) extends PageLookup {

    /** Returns the positions of those keys in the page that it does hold. */
    def positions(keys: Array[Long], present: Array[Long]): Array[Int] =
      Array
        .range(from, until)
        .map(i => Arrays.binarySearch(present, keys(i)))
        .filter(_ >= 0)
  }

  /** A page that is read whole. */
  private final class Whole(override val page: Int) extends PageLookup

  /** A page that holds some keys of a lookup. */
  private final class Held(override val page: Int, val positions: Array[Int]) extends PageLookup

  /**
   * Opens a file of keys. One request reads the index of its pages.
   *
   * @param folder the folder of the segment
   * @throws java.io.IOException if it cannot be read, or is not the file of the manifest
   */
  def open(part: StoredPart, folder: Path, conf: Configuration): KeyPart = {
    val path = new Path(folder, part.name)
    val end = CheckedFile.read(path, part.bytes, part.indexOffset, part.checksum, conf)
    try {
      val reader = ParquetFileReader.open(end)
      try opened(path, part.bytes, reader)
      finally reader.close()
    } catch {
      case e: DamagedIndex => throw e
      case NonFatal(e) => throw new DamagedIndex(s"$path is no file of keys", e)
    }
  }

  private def opened(path: Path, length: Long, reader: ParquetFileReader): KeyPart = {
    val (first, counts) = (Array.newBuilder[Long], Array.newBuilder[Int])
    val positions = Seq.fill(2)((Array.newBuilder[Long], Array.newBuilder[Int]))
    reader.getFooter.getBlocks.forEach { block =>
      val chunks = block.getColumns
      val offsets = Seq(0, 1).map(c => reader.readOffsetIndex(chunks.get(c)))
      val mins = reader.readColumnIndex(chunks.get(0)).getMinValues
      val pages = offsets.head.getPageCount
      require(offsets(1).getPageCount == pages && mins.size == pages)
      for (page <- 0 until pages) {
        require(offsets.map(_.getFirstRowIndex(page)).distinct.size == 1)
        first += mins.get(page).order(ByteOrder.LITTLE_ENDIAN).getLong(mins.get(page).position())
        counts += (offsets.head.getLastRowIndex(page, block.getRowCount) -
          offsets.head.getFirstRowIndex(page) + 1).toInt
        for (((starts, lengths), index) <- positions.zip(offsets)) {
          starts += index.getOffset(page)
          lengths += index.getCompressedPageSize(page)
        }
      }
    }
    val Seq(ofKeys, ofRowGroups) = positions.map { case (starts, lengths) =>
      new PagePositions(starts.result(), lengths.result())
    }
    new KeyPart(path, length, first.result(), counts.result(), ofKeys, ofRowGroups)
  }
}
