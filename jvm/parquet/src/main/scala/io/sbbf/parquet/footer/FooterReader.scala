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

  /** The bytes of magic, footer length and magic, which every file has. */
  private final val MinLength = 12

  /** The default limit of parquet-mr's thrift parser (`Util.DEFAULT_MAX_MESSAGE_SIZE`). */
  private[parquet] final val MaxFooter = 100 * 1024 * 1024

  /**
   * Returns the footer. Reads the tail of the file, and reads once more if the footer is longer
   * than the tail.
   *
   * @param keys the keys to the encrypted parts of the file
   * @throws UnusableFile if the file is not a Parquet file, its footer is encrypted and the key is
   *   missing, or its metadata is damaged
   * @throws java.io.IOException if the file cannot be read
   */
  def read(bytes: FileBytes, keys: Decryption = Decryption.NoKeys): FileFooter = {
    val stored = locate(bytes)
    keys.asOwner {
      val footer =
        keys.open(bytes.path, bytes.read(stored.start, stored.length), stored.isEncrypted)
      new FooterBuilder(parse(footer.thrift), stored.start, footer.modules).build()
    }
  }

  /** Returns the position of the footer. Throws the same exceptions as [[read]]. */
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
      throw new UnusableFile("invalid footer length")
    if (length > MaxFooter) throw new UnusableFile("footer too large")
    StoredFooter(bytes.length - 8 - length, length, isEncrypted)
  }

  /**
   * Parses the footer.
   *
   * @throws UnusableFile if the bytes are not a valid thrift `FileMetaData`
   */
  private[parquet] def parse(footer: Array[Byte]): FileMetaData = {
    CompactStruct.end(footer, 0, footer.length)
    val metadata = new FileMetaData
    try metadata.read(new InterningProtocol(new BoundedProtocol(footer)))
    catch { case NonFatal(_) => throw new UnusableFile("damaged metadata") }
    metadata
  }

  // By default, thrift skips unknown nested fields without a limit on their depth.
  TProtocolUtil.setMaxSkipDepth(CompactStruct.MaxDepth)

  /**
   * Rejects lists and strings that claim more than the available bytes. The check by
   * [[CompactStruct]] does not suffice. The generated parser ignores the element type that a list
   * declares and assumes the type of the format, so it may read the bytes differently.
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
        throw new TProtocolException("list is longer than the remaining bytes")
      list
    }
  }
}

/**
 * Holds the position of a file's metadata.
 *
 * @param start the offset of the metadata in the file
 * @param length the length of the metadata in bytes
 * @param isEncrypted whether the file's magic marks the footer as encrypted
 */
private[parquet] final case class StoredFooter(start: Long, length: Int, isEncrypted: Boolean)
