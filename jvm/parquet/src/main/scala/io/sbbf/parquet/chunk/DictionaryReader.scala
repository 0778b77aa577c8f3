package io.sbbf.parquet.chunk

import java.io.{ByteArrayInputStream, DataInputStream}
import java.util.Arrays
import java.util.zip.CRC32

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.compression.CompressionCodecFactory
import org.apache.parquet.crypto.ModuleCipherFactory.ModuleType
import org.apache.parquet.format.{CompressionCodec, Encoding, PageHeader, PageType, Util}
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName

import io.sbbf.parquet.footer.FileFooter
import io.sbbf.parquet.input.{ChunkModules, FileBytes}
import io.sbbf.parquet.model.{ColumnType, LeafResult, Physical, UnusableFile}

/**
 * Reads the dictionary page of a column chunk. The dictionary is only used if it holds all values of
 * the chunk.
 */
private[parquet] object DictionaryReader {

  /** Limits the size of a dictionary page. Larger ones cost more to read than they save. */
  private[parquet] final val MaxPage = 8 * 1024 * 1024

  /** The length of the first read, which covers most dictionaries with their header. */
  private final val FirstRead = 64 * 1024

  /** Represents a dictionary, or the reason why there is none. */
  sealed abstract class State {

    /** Returns the state for the cache, without large pages. */
    def remembered: State
    def retainedBytes: Long
  }

  /** The chunk has no dictionary, or the dictionary lacks values of the chunk. */
  case object Absent extends State {
    override def remembered: State = this
    override def retainedBytes: Long = 0
  }
  final case class Readable(dictionary: ChunkDictionary) extends State {
    override def remembered: State = Readable(dictionary.remembered)
    override def retainedBytes: Long = 16 + dictionary.retainedBytes
  }

  /** @param reason the reason why the dictionary cannot be used */
  final case class Unreadable(reason: String) extends State {
    val result: LeafResult = LeafResult.unknown(s"dictionary unusable: $reason")
    override def remembered: State = this
    override def retainedBytes: Long = 128
  }

  /**
   * Reads and checks the dictionary of a chunk, whose offset is known.
   *
   * @throws java.io.IOException if the file cannot be read
   */
  def read(footer: FileFooter, rowGroup: Int, column: Int, bytes: FileBytes): State = {
    val chunk = footer.chunk(rowGroup, column)
    val kind = footer.schema.column(column).columnType
    val (offset, limit) = (footer.dictionaryOffset(chunk), footer.maxDictionaryBytes(chunk))
    val modules = footer.modules(chunk)
    val first = bytes.read(offset, math.min(limit, FirstRead))
    try {
      val (end, header) = parseHeader(first, modules)
      check(header, limit - end, kind)
      val size = header.getCompressed_page_size
      val page =
        if (end + size <= first.length) Arrays.copyOfRange(first, end, end + size)
        else bytes.read(offset + end, size)
      if (header.isSetCrc && header.getCrc != crc(page)) refuse("checksum mismatch")
      val packed = modules.open(ModuleType.DictionaryPage, page)
      val plain = decompress(packed, header.getUncompressed_page_size, footer.codec(chunk))
      ChunkDictionary.of(kind, plain, header.getDictionary_page_header.getNum_values) match {
        case Some(dictionary) => Readable(dictionary)
        case None => Unreadable("damaged page")
      }
    } catch {
      case e: UnusablePage => Unreadable(e.reason)
      case e: UnusableFile => Unreadable(e.reason)
    }
  }

  private final class UnusablePage(val reason: String) extends Exception(reason)

  private def refuse(reason: String): Nothing = throw new UnusablePage(reason)

  private def parseHeader(bytes: Array[Byte], modules: ChunkModules): (Int, PageHeader) =
    try {
      val struct = modules.struct(ModuleType.DictionaryPageHeader, bytes, bytes.length)
      (struct.end, Util.readPageHeader(new ByteArrayInputStream(struct.thrift)))
    } catch { case NonFatal(_) => refuse("damaged header") }

  private def check(header: PageHeader, limit: Int, kind: ColumnType): Unit = {
    val (packed, unpacked) = (header.getCompressed_page_size, header.getUncompressed_page_size)
    if (header.getType != PageType.DICTIONARY_PAGE || !header.isSetDictionary_page_header)
      refuse("no dictionary page")
    val encoding = header.getDictionary_page_header.getEncoding
    if (encoding != Encoding.PLAIN && encoding != Encoding.PLAIN_DICTIONARY)
      refuse("unsupported encoding")
    if (kind.physical == Physical.Bool) refuse("BOOLEAN column")
    if (packed < 0 || packed > limit || unpacked < 0) refuse("sizes disagree")
    if (packed > MaxPage || unpacked > MaxPage) refuse("too large")
  }

  /** Returns the checksum of a page as stored, without its header (parquet.thrift, PageHeader). */
  private def crc(page: Array[Byte]): Int = {
    val checksum = new CRC32
    checksum.update(page, 0, page.length)
    checksum.getValue.toInt
  }

  /**
   * Decompresses a page. Only codecs are supported that allocate no more than the size in the page
   * header. The framings of LZ4 and LZO contain sizes of their own. Snappy data starts with a size,
   * which is compared first.
   */
  private def decompress(page: Array[Byte], size: Int, codec: Int): Array[Byte] = {
    import CompressionCodec._
    val name = CompressionCodec.findByValue(codec)
    val isSound = name match {
      case UNCOMPRESSED => page.length == size
      case SNAPPY => snappySize(page) == size
      case GZIP | ZSTD | LZ4_RAW => true
      case _ => refuse("unsupported codec")
    }
    if (!isSound) refuse("sizes disagree")
    if (name == UNCOMPRESSED) page else decompressWith(name.name, page, size)
  }

  private def decompressWith(codec: String, page: Array[Byte], size: Int): Array[Byte] = {
    val factory: CompressionCodecFactory = new CodecFactory(conf, size)
    try {
      val decompressor = factory.getDecompressor(CompressionCodecName.valueOf(codec))
      val plain = new Array[Byte](size)
      val stream = decompressor.decompress(BytesInput.from(page), size).toInputStream
      new DataInputStream(stream).readFully(plain)
      plain
    } catch {
      case _: LinkageError => refuse("unsupported codec")
      case NonFatal(_) => refuse("damaged page")
    } finally factory.release()
  }

  /** Loads codecs with the class loader of parquet-mr, whatever thread decompresses. */
  private val conf: Configuration = {
    val conf = new Configuration(false)
    conf.setClassLoader(classOf[CodecFactory].getClassLoader)
    conf
  }

  /**
   * Returns the length of the uncompressed data, a varint (snappy, format_description.txt), or -1
   * if it is invalid.
   */
  private def snappySize(page: Array[Byte]): Long = {
    var value = 0L
    var i = 0
    while (i < page.length && i < 5 && page(i) < 0) {
      value |= (page(i) & 0x7fL) << 7 * i
      i += 1
    }
    if (i < page.length && i < 5) value | page(i).toLong << 7 * i else -1
  }
}
