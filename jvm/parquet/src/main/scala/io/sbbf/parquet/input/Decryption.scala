package io.sbbf.parquet.input

import java.io.ByteArrayInputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.security.PrivilegedExceptionAction
import java.util.Arrays

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.security.UserGroupInformation
import org.apache.parquet.crypto.DecryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME
import org.apache.parquet.crypto._
import org.apache.parquet.format.converter.ParquetMetadataConverter.SKIP_ROW_GROUPS
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetFileWriter}
import org.apache.parquet.io.{DelegatingSeekableInputStream, InputFile, SeekableInputStream}
import org.apache.parquet.{HadoopReadOptions, ParquetReadOptions}

import io.sbbf.parquet.model.{SchemaNode, UnusableFile}

/**
 * Opens encrypted files for one query, with the keys that parquet-mr's crypto factory provides
 * (`parquet.crypto.factory.class`). Acts in the name of the user who created this object. Holds
 * no key; the keys of a file live as long as what was read of the file. Thread-safe.
 *
 * Rejects files that parquet-mr would reject: with a footer that cannot be decrypted, with a
 * wrong signature or AAD prefix, or plain where no plain file is allowed.
 */
abstract class Decryption {

  /**
   * Returns whether queries with other keys may use what this query reads of a file.
   *
   * @param isEncrypted whether the footer or a column of the file is encrypted
   */
  def mayShare(isEncrypted: Boolean): Boolean

  /** Returns whether this query may use what another one has read of the file. */
  def mayReuse(isEncrypted: Boolean, path: Path): Boolean

  /** Runs `body` as the user whose keys these are. */
  private[parquet] def asOwner[T](body: => T): T

  /**
   * Returns the footer in plain thrift, and access to the file's chunks.
   *
   * @param stored the footer as the file stores it, without the length that follows it
   * @param isEncrypted whether the file's magic marks an encrypted footer
   * @throws UnusableFile if the footer cannot be opened
   */
  private[parquet] def open(
      path: Path,
      stored: Array[Byte],
      isEncrypted: Boolean): Decryption.OpenFooter
}

object Decryption {
  private[parquet] final case class OpenFooter(thrift: Array[Byte], modules: FileModules)

  /**
   * Returns access with the keys that `conf` leads to.
   *
   * @param topLevelColumns the top-level columns whose keys may be retrieved, with the keys of
   *   all fields within them; None stands for all
   */
  def of(conf: Configuration, topLevelColumns: Option[Seq[String]]): Decryption =
    if (conf.get(CRYPTO_FACTORY_CLASS_PROPERTY_NAME) == null) NoKeys
    else new FactoryDecryption(conf, topLevelColumns.map(_.map(SchemaNode.fold).toSet))

  /** Uses no keys: encrypted parts stay closed. */
  object NoKeys extends Decryption {
    override def mayShare(isEncrypted: Boolean): Boolean = true
    override def mayReuse(isEncrypted: Boolean, path: Path): Boolean = true
    override private[parquet] def asOwner[T](body: => T): T = body

    override private[parquet] def open(
        path: Path,
        stored: Array[Byte],
        isEncrypted: Boolean): OpenFooter =
      if (isEncrypted) throw new UnusableFile("encrypted footer")
      else OpenFooter(stored, FileModules.Plain)
  }

  /**
   * @param roots the folded top-level names of the columns that the query needs; None stands for
   *   all
   */
  private final class FactoryDecryption(conf: Configuration, roots: Option[Set[String]])
      extends Decryption {
    private val owner = UserGroupInformation.getCurrentUser

    override def mayShare(isEncrypted: Boolean): Boolean = !isEncrypted

    override def mayReuse(isEncrypted: Boolean, path: Path): Boolean =
      mayShare(isEncrypted) && asOwner(allowsPlainFile(path))

    private def allowsPlainFile(path: Path): Boolean =
      try {
        val properties = optionsFor(path).getDecryptionProperties
        properties == null || new InternalFileDecryptor(properties).plaintextFilesAllowed
      } catch { case NonFatal(_) => false }

    override private[parquet] def asOwner[T](body: => T): T =
      owner.doAs(new PrivilegedExceptionAction[T] { override def run(): T = body })

    override private[parquet] def open(
        path: Path,
        stored: Array[Byte],
        isEncrypted: Boolean): OpenFooter =
      try {
        val options = optionsFor(path)
        if (options.getDecryptionProperties == null) NoKeys.open(path, stored, isEncrypted)
        else open(stored, isEncrypted, options)
      } catch {
        case e: UnusableFile => throw e
        case _: KeyAccessDeniedException => throw new UnusableFile("access to its key denied")
        case NonFatal(_) => throw new UnusableFile("footer not decrypted or not verified")
      }

    /** Returns read options that request a file's keys as parquet-mr's readers do. */
    private def optionsFor(path: Path): ParquetReadOptions =
      HadoopReadOptions.builder(conf, path).withMetadataFilter(SKIP_ROW_GROUPS).build()

    /**
     * Opens a footer. A signature follows a plain footer; the data that are needed to decrypt it
     * precede an encrypted one.
     */
    private def open(
        stored: Array[Byte],
        isEncrypted: Boolean,
        options: ParquetReadOptions): OpenFooter = {
      val end = CompactStruct.end(stored, 0, stored.length)
      if (isEncrypted && ChunkModules.moduleEnd(stored, end, stored.length) != stored.length)
        throw new UnusableFile("invalid footer length")
      val decryptor = accept(new FooterFile(stored, isEncrypted), options)
      if (decryptor.plaintextFile) OpenFooter(stored, FileModules.Plain)
      else {
        val thrift =
          if (!isEncrypted) stored
          else
            decryptor.fetchFooterDecryptor.decrypt(
              Arrays.copyOfRange(stored, end, stored.length),
              AesCipher.createFooterAAD(decryptor.getFileAAD))
        OpenFooter(thrift, new FileModules.Decrypted(decryptor, !isEncrypted, isNeeded))
      }
    }

    private def accept(file: InputFile, options: ParquetReadOptions): InternalFileDecryptor =
      ParquetFileReader
        .readFooter(file, options, file.newStream())
        .getFileMetaData
        .getFileDecryptor

    private def isNeeded(column: SchemaNode): Boolean =
      roots.forall(_.contains(SchemaNode.fold(column.path.head)))
  }

  /** A file of nothing but a footer, from which parquet-mr reads the footer. */
  private final class FooterFile(stored: Array[Byte], isEncrypted: Boolean) extends InputFile {
    private val magic = if (isEncrypted) ParquetFileWriter.EFMAGIC else ParquetFileWriter.MAGIC
    private val bytes = ByteBuffer
      .allocate(magic.length + stored.length + 4 + magic.length)
      .order(ByteOrder.LITTLE_ENDIAN)
      .put(magic)
      .put(stored)
      .putInt(stored.length)
      .put(magic)
      .array

    override def getLength: Long = bytes.length.toLong

    override def newStream(): SeekableInputStream = {
      val from = new ByteArrayInputStream(bytes)
      new DelegatingSeekableInputStream(from) {
        override def getPos: Long = getLength - from.available
        override def seek(position: Long): Unit = {
          from.reset()
          from.skip(position)
        }
      }
    }
  }
}
