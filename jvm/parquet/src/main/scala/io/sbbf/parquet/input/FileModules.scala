package io.sbbf.parquet.input

import java.io.ByteArrayInputStream

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.parquet.crypto.ModuleCipherFactory.ModuleType
import org.apache.parquet.crypto.{InternalColumnDecryptionSetup, InternalFileDecryptor}
import org.apache.parquet.format.{ColumnChunk, ColumnMetaData, Util}
import org.apache.parquet.hadoop.metadata.ColumnPath

import io.sbbf.parquet.model.{SchemaNode, UnusableFile}

/** Gives access to the column chunks of one file. Not thread-safe. */
private[parquet] sealed abstract class FileModules {

  /** Returns whether keys were used to read the file. */
  def usesKeys: Boolean

  /**
   * Returns the chunk, or None if it is damaged or encrypted with a key that is not available.
   *
   * @param column the column at this place of the file's schema
   * @param rowGroup the ordinal of the row group
   * @throws UnusableFile if parquet-mr could read nothing of the file: columns that share the
   *   footer's key have to be decrypted with the footer
   */
  def open(chunk: ColumnChunk, column: SchemaNode, rowGroup: Int): Option[OpenChunk]
}

private[parquet] object FileModules {

  /**
   * Opens the chunks that a writer left plain, in a file that is not encrypted or is read without
   * keys.
   */
  object Plain extends FileModules {
    override def usesKeys: Boolean = false

    override def open(
        chunk: ColumnChunk,
        column: SchemaNode,
        rowGroup: Int): Option[OpenChunk] = {
      if (isUnderFooterKey(chunk)) refuse()
      if (isEncrypted(chunk) || !chunk.isSetMeta_data) None
      else Some(OpenChunk(chunk.getMeta_data, ChunkModules.Plain))
    }
  }

  /**
   * Opens the chunks of a file that is read with keys.
   *
   * @param decryptor parquet-mr's decryptor, which has accepted the footer
   * @param hasPlainFooter whether the footer is plain, so that the columns under its key also
   *   have their metadata encrypted one by one (Encryption.md, 5.5)
   * @param isNeeded whether the key of a column may be retrieved
   */
  final class Decrypted(
      decryptor: InternalFileDecryptor,
      hasPlainFooter: Boolean,
      isNeeded: SchemaNode => Boolean)
      extends FileModules {
    private val denied = new mutable.HashSet[Int]

    override def usesKeys: Boolean = true

    override def open(chunk: ColumnChunk, column: SchemaNode, rowGroup: Int): Option[OpenChunk] =
      if (!isEncrypted(chunk)) Plain.open(chunk, column, rowGroup)
      else
        try Option(setupOf(chunk, column)).map(decrypt(chunk, _, rowGroup))
        catch { case NonFatal(_) => if (isUnderFooterKey(chunk)) refuse() else None }

    /** Returns what decrypts the column, or null. A denied key is not requested again. */
    private def setupOf(chunk: ColumnChunk, column: SchemaNode): InternalColumnDecryptionSetup = {
      val path = ColumnPath.get(column.path: _*)
      if (isUnderFooterKey(chunk))
        decryptor.setColumnCryptoMetadata(path, true, true, null, column.column)
      else if (!isNeeded(column) || denied(column.column)) null
      else
        try {
          val key = chunk.getCrypto_metadata.getENCRYPTION_WITH_COLUMN_KEY.getKey_metadata
          decryptor.setColumnCryptoMetadata(path, true, false, key, column.column)
        } catch {
          case NonFatal(e) =>
            denied += column.column
            throw e
        }
    }

    private def decrypt(
        chunk: ColumnChunk,
        setup: InternalColumnDecryptionSetup,
        rowGroup: Int): OpenChunk = {
      val modules = new ChunkModules.Encrypted(setup, decryptor.getFileAAD, rowGroup)
      val isInFooter = isUnderFooterKey(chunk) && !hasPlainFooter
      OpenChunk(
        if (isInFooter) chunk.getMeta_data
        else decryptMetadata(chunk.getEncrypted_column_metadata, modules),
        modules)
    }

    private def decryptMetadata(module: Array[Byte], modules: ChunkModules): ColumnMetaData = {
      val struct = modules.struct(ModuleType.ColumnMetaData, module, module.length)
      Util.readColumnMetaData(new ByteArrayInputStream(struct.thrift), null, null)
    }
  }

  def isEncrypted(chunk: ColumnChunk): Boolean =
    chunk.isSetCrypto_metadata || chunk.isSetEncrypted_column_metadata

  private def isUnderFooterKey(chunk: ColumnChunk): Boolean =
    chunk.isSetCrypto_metadata && chunk.getCrypto_metadata.isSetENCRYPTION_WITH_FOOTER_KEY

  private def refuse(): Nothing =
    throw new UnusableFile("columns encrypted with the footer's key")
}

/** A column chunk that can be read: its metadata, and access to its other modules. */
private[parquet] final case class OpenChunk(metadata: ColumnMetaData, modules: ChunkModules)
