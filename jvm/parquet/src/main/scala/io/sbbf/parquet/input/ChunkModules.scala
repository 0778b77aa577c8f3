package io.sbbf.parquet.input

import java.util.Arrays

import scala.util.control.NonFatal

import org.apache.parquet.crypto.ModuleCipherFactory.{ModuleType, SIZE_LENGTH}
import org.apache.parquet.crypto.{AesCipher, InternalColumnDecryptionSetup}

import io.sbbf.parquet.model.{ColumnType, UnusableFile}

/**
 * Reads the modules of one column chunk: the parts of a file that are encrypted one by one, or
 * not at all (parquet-format, Encryption.md, 3). Thread-safe.
 */
private[parquet] sealed abstract class ChunkModules {

  /**
   * Returns how many bytes of the file a module takes that holds `length` bytes and is no page.
   */
  def size(length: Int): Int

  /**
   * Returns the thrift structure in the module that starts with `bytes`.
   *
   * @throws UnusableFile if the module does not end by `until`, states invalid sizes, or was not
   *   written by a holder of the key
   */
  def struct(kind: ModuleType, bytes: Array[Byte], until: Int): ChunkModules.Struct

  /**
   * Returns the content of a whole module.
   *
   * @throws UnusableFile if the module was not written by a holder of the key; for pages with
   *   AES_GCM_V1 only
   */
  def open(kind: ModuleType, module: Array[Byte]): Array[Byte]
}

private[parquet] object ChunkModules {

  /**
   * @param end the end of the structure's module
   * @param thrift the structure alone, whose sizes are valid
   */
  final case class Struct(end: Int, thrift: Array[Byte])

  object Plain extends ChunkModules {
    override def size(length: Int): Int = length

    override def struct(kind: ModuleType, bytes: Array[Byte], until: Int): Struct = {
      val end = CompactStruct.end(bytes, 0, until)
      Struct(end, Arrays.copyOf(bytes, end))
    }

    override def open(kind: ModuleType, module: Array[Byte]): Array[Byte] = module
  }

  /**
   * Reads encrypted modules: length, nonce, ciphertext and tag (Encryption.md, 5.1).
   *
   * @param fileAad the identification of the file in the tags of all of its modules
   * @param rowGroup the ordinal of the row group, which tags include
   */
  final class Encrypted(setup: InternalColumnDecryptionSetup, fileAad: Array[Byte], rowGroup: Int)
      extends ChunkModules {
    override def size(length: Int): Int = length + Frame

    override def struct(kind: ModuleType, bytes: Array[Byte], until: Int): Struct = {
      val end = moduleEnd(bytes, 0, until)
      val thrift = open(kind, Arrays.copyOf(bytes, end))
      CompactStruct.end(thrift, 0, thrift.length)
      Struct(end, thrift)
    }

    override def open(kind: ModuleType, module: Array[Byte]): Array[Byte] = {
      if (moduleEnd(module, 0, module.length) != module.length) refuse()
      val isPage = kind == ModuleType.DictionaryPage
      val decryptor = if (isPage) setup.getDataDecryptor else setup.getMetaDataDecryptor
      try {
        val aad = AesCipher.createModuleAAD(fileAad, kind, rowGroup, setup.getOrdinal, -1)
        decryptor.synchronized(decryptor.decrypt(module, aad))
      } catch { case NonFatal(_) => refuse() }
    }
  }

  private final val Frame = SIZE_LENGTH + AesCipher.NONCE_LENGTH + AesCipher.GCM_TAG_LENGTH

  /**
   * Returns the end of the encrypted module that starts at `from`. parquet-mr would allocate any
   * length that the module claims.
   *
   * @throws UnusableFile if the module does not end by `until`
   */
  def moduleEnd(bytes: Array[Byte], from: Int, until: Int): Int = {
    val available = until - from - SIZE_LENGTH
    val length = if (available < 0) -1 else ColumnType.int(bytes, from)
    if (length < 0 || length > available) refuse()
    from + SIZE_LENGTH + length
  }

  private def refuse(): Nothing = throw new UnusableFile("cannot be decrypted")
}
