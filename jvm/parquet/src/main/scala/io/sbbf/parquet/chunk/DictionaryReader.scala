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

/** Reads the dictionary page of a column chunk, if it tells all of the chunk's values. */
private[parquet] object DictionaryReader {

  /** Larger dictionaries cost more to read than they are worth. */
  private[parquet] final val MaxPage = 8 * 1024 * 1024

  /** What the first read takes: most dictionaries with their header. */
  private final val FirstRead = 64 * 1024

  /** The dictionary, or why it cannot be used. */
  sealed abstract class State {

    /** What is worth its memory. */
    def remembered: State
    def retainedBytes: Long
  }

  /** There is none, or it does not tell all of the chunk's values. */
  case object Absent extends State {
    override def remembered: State = this
    override def retainedBytes: Long = 0
  }
  final case class Readable(dictionary: ChunkDictionary) extends State {
    override def remembered: State = Readable(dictionary.remembered)
    override def retainedBytes: Long = 16 + dictionary.retainedBytes
  }
  final case class Unreadable(reason: String) extends State {
    val answer: LeafResult = LeafResult.unknown(s"dictionary unusable: $reason")
    override def remembered: State = this
    override def retainedBytes: Long = 128
  }

  /** @throws java.io.IOException when the file cannot be read */
  def read(footer: FileFooter, rowGroup: Int, column: Int, bytes: FileBytes): State = {
    val chunk = footer.chunk(rowGroup, column)
    val kind = footer.schema.column(column).columnType
    val (offset, room) = (footer.dictionaryOffset(chunk), footer.maxDictionaryBytes(chunk))
    val modules = footer.modules(chunk)
    val first = bytes.read(offset, math.min(room, FirstRead))
    try {
      val (end, header) = parseHeader(first, modules)
      check(header, room - end, kind)
      val size = header.getCompressed_page_size
      val page =
        if (end + size <= first.length) Arrays.copyOfRange(first, end, end + size)
        else bytes.read(offset + end, size)
      if (header.isSetCrc && header.getCrc != crc(page)) refuse("checksum")
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

  private def check(header: PageHeader, room: Int, kind: ColumnType): Unit = {
    val (packed, unpacked) = (header.getCompressed_page_size, header.getUncompressed_page_size)
    if (header.getType != PageType.DICTIONARY_PAGE || !header.isSetDictionary_page_header)
      refuse("no dictionary page")
    val encoding = header.getDictionary_page_header.getEncoding
    if (encoding != Encoding.PLAIN && encoding != Encoding.PLAIN_DICTIONARY) refuse("encoding")
    if (kind.physical == Physical.Bool) refuse("BOOLEAN column")
    if (packed < 0 || packed > room || unpacked < 0) refuse("sizes disagree")
    if (packed > MaxPage || unpacked > MaxPage) refuse("too large")
  }

  /** Of the page as stored, without its header (parquet.thrift, PageHeader). */
  private def crc(page: Array[Byte]): Int = {
    val checksum = new CRC32
    checksum.update(page, 0, page.length)
    checksum.getValue.toInt
  }

  /**
   * Only codecs that allocate what the page is said to hold: the framings of LZ4 and LZO name
   * sizes of their own, and so does Snappy's first number, which is compared before.
   */
  private def decompress(page: Array[Byte], size: Int, codec: Int): Array[Byte] = {
    import CompressionCodec._
    val name = CompressionCodec.findByValue(codec)
    val isSound = name match {
      case UNCOMPRESSED => page.length == size
      case SNAPPY => snappySize(page) == size
      case GZIP | ZSTD | LZ4_RAW => true
      case _ => refuse("codec")
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
      case _: LinkageError => refuse("codec")
      case NonFatal(_) => refuse("damaged page")
    } finally factory.release()
  }

  /** Codecs are found through the loader of parquet-mr itself, from whatever thread. */
  private val conf: Configuration = {
    val conf = new Configuration(false)
    conf.setClassLoader(classOf[CodecFactory].getClassLoader)
    conf
  }

  /** The length of the uncompressed data, a varint (snappy, format_description.txt), or -1. */
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
