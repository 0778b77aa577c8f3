package io.sbbf.parquet.footer

import java.io.ByteArrayInputStream

import scala.util.control.NonFatal

import org.apache.parquet.format.{FileMetaData, InterningProtocol}
import shaded.parquet.org.apache.thrift.TConfiguration
import shaded.parquet.org.apache.thrift.protocol.{
  TCompactProtocol,
  TList,
  TProtocolException,
  TProtocolUtil
}
import shaded.parquet.org.apache.thrift.transport.TIOStreamTransport

import io.sbbf.parquet.input.{CompactStruct, Decryption, FileBytes}
import io.sbbf.parquet.model.{ColumnType, UnusableFile}

/**
 * Reads the footer at the end of a file: metadata, its length in four bytes, magic
 * (parquet-format, README).
 */
object FooterReader {
  private final val Plain = 0x31524150 // "PAR1", little-endian
  private final val Encrypted = 0x45524150 // "PARE"

  /** Magic, length and magic again: less is no file. */
  private final val MinLength = 12

  /** What parquet-mr's own thrift parser accepts by default (`Util.DEFAULT_MAX_MESSAGE_SIZE`). */
  private[parquet] final val MaxFooter = 100 * 1024 * 1024

  /**
   * Reads the tail, and once more if the footer is longer than that.
   *
   * @param keys to what of the file is encrypted
   * @throws UnusableFile when nothing can be known: not a Parquet file, an encrypted footer
   *   without its key, damaged metadata
   * @throws java.io.IOException when the file cannot be read
   */
  def read(bytes: FileBytes, keys: Decryption = Decryption.NoKeys): FileFooter = {
    val stored = locate(bytes)
    keys.asOwner {
      val footer =
        keys.open(bytes.path, bytes.read(stored.start, stored.length), stored.isEncrypted)
      new FooterBuilder(parse(footer.thrift), stored.start, footer.modules).build()
    }
  }

  /** Where the footer is. Throws as [[read]] does. */
  private[parquet] def locate(bytes: FileBytes): StoredFooter = {
    if (bytes.length < MinLength) throw new UnusableFile("not a Parquet file")
    val tail = bytes.tail
    val isEncrypted = ColumnType.int(tail, tail.length - 4) match {
      case Plain => false
      case Encrypted => true
      case _ => throw new UnusableFile("not a Parquet file")
    }
    val length = ColumnType.int(tail, tail.length - 8)
    if (length <= 0 || length > bytes.length - MinLength)
      throw new UnusableFile("footer length lies")
    if (length > MaxFooter) throw new UnusableFile("footer too large")
    StoredFooter(bytes.length - 8 - length, length, isEncrypted)
  }

  /** @throws UnusableFile for what is no thrift `FileMetaData` */
  private[parquet] def parse(footer: Array[Byte]): FileMetaData = {
    CompactStruct.end(footer, 0, footer.length)
    val metadata = new FileMetaData
    try metadata.read(new InterningProtocol(new BoundedProtocol(footer)))
    catch { case NonFatal(_) => throw new UnusableFile("damaged metadata") }
    metadata
  }

  // Fields that nobody knows are skipped, within one another, and that by default as deep as the bytes tell.
  TProtocolUtil.setMaxSkipDepth(CompactStruct.MaxDepth)

  /**
   * Lets no list or string claim more than the bytes at hand. That [[CompactStruct]] has seen them
   * is not enough: the generated parser takes the elements of a list for what the format has there,
   * whatever the list says that they are, and so may read bytes otherwise.
   */
  private final class BoundedProtocol(bytes: ByteArrayInputStream, limit: TConfiguration)
      extends TCompactProtocol(new TIOStreamTransport(limit, bytes)) {
    def this(bytes: Array[Byte]) =
      this(
        new ByteArrayInputStream(bytes),
        TConfiguration.custom().setMaxMessageSize(bytes.length).build())

    override def readListBegin(): TList = {
      val list = super.readListBegin()
      if (list.size > bytes.available)
        throw new TProtocolException("a list longer than its bytes")
      list
    }
  }
}
