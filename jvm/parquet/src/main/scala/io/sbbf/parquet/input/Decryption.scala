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
 * One query's way into encrypted files, by the keys that parquet-mr's crypto factory gives
 * (`parquet.crypto.factory.class`) in the name of the user who created this. Holds no key; those
 * of a file live as long as what was read of it. Thread-safe.
 *
 * What parquet-mr itself would refuse of a file is refused here: a footer that cannot be
 * decrypted, a signature or an AAD prefix that is wrong, a plain file where there should be none.
 */
abstract class Decryption {

  /**
   * Whether queries with other keys may use what this query reads of a file.
   *
   * @param isEncrypted whether the footer or a column of the file is encrypted
   */
  def mayShare(isEncrypted: Boolean): Boolean

  /** Whether this query may use what another one has read of the file. */
  def mayReuse(isEncrypted: Boolean, path: Path): Boolean

  /** Runs `body` as the user whose keys these are. */
  private[parquet] def asOwner[T](body: => T): T

  /**
   * The footer in plain thrift, and access to the file's chunks.
   *
   * @param stored as it lies in the file, without the length that follows it
   * @param isEncrypted whether the file's magic says so
   * @throws UnusableFile when it cannot be opened
   */
  private[parquet] def open(
      path: Path,
      stored: Array[Byte],
      isEncrypted: Boolean): Decryption.OpenFooter
}

object Decryption {
  private[parquet] final case class OpenFooter(thrift: Array[Byte], modules: FileModules)

  /**
   * The keys that `conf` leads to.
   *
   * @param topLevelColumns those whose keys, and the keys of all that lies within them, may be
   *   retrieved; None stands for all
   */
  def of(conf: Configuration, topLevelColumns: Option[Seq[String]]): Decryption =
    if (conf.get(CRYPTO_FACTORY_CLASS_PROPERTY_NAME) == null) NoKeys
    else new FactoryDecryption(conf, topLevelColumns.map(_.map(SchemaNode.fold).toSet))

  /** No keys at all: what is encrypted stays closed. */
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

  /** @param roots top-level names of the columns that are asked, folded; None stands for all */
  private final class FactoryDecryption(conf: Configuration, roots: Option[Set[String]])
      extends Decryption {
    private val owner = UserGroupInformation.getCurrentUser

    override def mayShare(isEncrypted: Boolean): Boolean = !isEncrypted

    override def mayReuse(isEncrypted: Boolean, path: Path): Boolean =
      mayShare(isEncrypted) && asOwner(isContentWithPlainFiles(path))

    private def isContentWithPlainFiles(path: Path): Boolean =
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

    /** As readers of parquet-mr ask for a file's keys. */
    private def optionsFor(path: Path): ParquetReadOptions =
      HadoopReadOptions.builder(conf, path).withMetadataFilter(SKIP_ROW_GROUPS).build()

    /**
     * A plain footer is followed by its signature, an encrypted one led by what it takes to open
     * it.
     */
    private def open(
        stored: Array[Byte],
        isEncrypted: Boolean,
        options: ParquetReadOptions): OpenFooter = {
      val end = CompactStruct.end(stored, 0, stored.length)
      if (isEncrypted && ChunkModules.moduleEnd(stored, end, stored.length) != stored.length)
        throw new UnusableFile("footer length lies")
      val decryptor = accept(new FooterFile(stored, isEncrypted), options)
      if (decryptor.plaintextFile) OpenFooter(stored, FileModules.Plain)
      else {
        val thrift =
          if (!isEncrypted) stored
          else
            decryptor.fetchFooterDecryptor.decrypt(
              Arrays.copyOfRange(stored, end, stored.length),
              AesCipher.createFooterAAD(decryptor.getFileAAD))
        OpenFooter(thrift, new FileModules.Decrypted(decryptor, !isEncrypted, isAsked))
      }
    }

    private def accept(file: InputFile, options: ParquetReadOptions): InternalFileDecryptor =
      ParquetFileReader
        .readFooter(file, options, file.newStream())
        .getFileMetaData
        .getFileDecryptor

    private def isAsked(column: SchemaNode): Boolean =
      roots.forall(_.contains(SchemaNode.fold(column.path.head)))
  }

  /** What is left of a file for parquet-mr to read a footer from: nothing but that. */
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
