package io.sbbf.index.format

import java.io.ByteArrayInputStream
import java.nio.ByteBuffer
import java.util.zip.CRC32

import scala.util.control.NonFatal

import org.apache.parquet.bytes.{ByteBufferInputStream, BytesUtils}
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder
import org.apache.parquet.format.{Encoding, PageHeader, PageType, Util}

import io.sbbf.parquet.values.DeltaBinaryPacked

/** Decodes the pages of a file of keys. Each method throws a [[DamagedIndex]] for a damaged page. */
private[sbbf] object KeyPage {

  /**
   * Returns the keys of a page.
   *
   * @param page the bytes of the page with its header
   * @param numKeys the number of its keys
   */
  def keys(page: Array[Byte], numKeys: Int): Array[Long] = decoded(page) { (header, data) =>
    expect(header.getData_page_header.getNum_values == numKeys)
    packed(page, data, numKeys)
  }

  /**
   * Passes the row groups of some keys of a page to `use`.
   *
   * @param page the bytes of the page with its header
   * @param numKeys the number of its keys
   * @param positions the positions of the keys among those of the page, ascending
   */
  def rowGroups(
      page: Array[Byte],
      numKeys: Int,
      positions: Array[Int])(use: Int => Unit): Unit = {
    var next = 0
    entries(page, numKeys) { (key, rowGroup) =>
      while (next < positions.length && positions(next) < key) next += 1
      if (next < positions.length && positions(next) == key) use(rowGroup)
    }
  }

  /** Passes each row group of a page to `use`, with the position of its key among those of the page. */
  def entries(page: Array[Byte], numKeys: Int)(use: (Int, Int) => Unit): Unit =
    decoded(page) { (header, data) =>
      val numEntries = header.getData_page_header.getNum_values
      expect(numEntries >= 0 && numEntries <= MostEntries)
      val starts = startsOfKeys(data, numEntries)
      expect(starts.count(identity) == numKeys && (numEntries == 0 || starts(0)))
      data.skipFully(BytesUtils.readIntLittleEndian(data).toLong) // all are defined
      val values = packed(page, data, numEntries)
      var entry = 0
      var key = -1
      while (entry < numEntries) {
        if (starts(entry)) key += 1
        use(key, values(entry).toInt)
        entry += 1
      }
    }

  /** Bounds what a damaged header may make a reader allocate. */
  private final val MostEntries = 1 << 26

  /**
   * Returns the values, whose number their own header states as well: the checksum does not cover
   * the header of the page.
   */
  private def packed(page: Array[Byte], data: ByteBufferInputStream, count: Int): Array[Long] =
    new DeltaBinaryPacked(page, page.length - data.available).values(count)

  /** Returns which entries are the first of their key: those with the repetition level 0. */
  private def startsOfKeys(data: ByteBufferInputStream, numEntries: Int): Array[Boolean] = {
    val levels = data.slice(BytesUtils.readIntLittleEndian(data))
    val decoder = new RunLengthBitPackingHybridDecoder(1, ByteBufferInputStream.wrap(levels))
    val starts = new Array[Boolean](numEntries)
    var entry = 0
    while (entry < numEntries) {
      starts(entry) = decoder.readInt() == 0
      entry += 1
    }
    starts
  }

  private def decoded[T](page: Array[Byte])(use: (PageHeader, ByteBufferInputStream) => T): T =
    try {
      val stream = new ByteArrayInputStream(page)
      val header = Util.readPageHeader(stream)
      val start = page.length - stream.available
      val size = header.getCompressed_page_size
      expect(
        header.getType == PageType.DATA_PAGE && header.isSetCrc && size == stream.available &&
          header.getData_page_header.getEncoding == Encoding.DELTA_BINARY_PACKED)
      val checksum = new CRC32
      checksum.update(page, start, size)
      expect(checksum.getValue.toInt == header.getCrc)
      use(header, ByteBufferInputStream.wrap(ByteBuffer.wrap(page, start, size)))
    } catch { case NonFatal(e) => throw new DamagedIndex("damaged page", e) }

  private def expect(isTrue: Boolean): Unit = if (!isTrue) throw new DamagedIndex("damaged page")
}
