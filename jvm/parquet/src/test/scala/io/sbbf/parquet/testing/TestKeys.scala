package io.sbbf.parquet.testing

import java.util

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.crypto._
import org.apache.parquet.hadoop.metadata.ColumnPath

import io.sbbf.parquet.input.Decryption

/** Provides keys from the configuration. The metadata of a key is the reversed key. */
final class TestKeys extends DecryptionPropertiesFactory {
  override def getFileDecryptionProperties(
      conf: Configuration,
      path: Path): FileDecryptionProperties = {
    val known = conf.getTrimmedStrings(TestKeys.Known).toSet
    val builder = FileDecryptionProperties
      .builder()
      .withKeyRetriever { metadata =>
        TestKeys.requested :+= new String(metadata)
        val key = new String(metadata).reverse
        if (known.contains(key)) key.getBytes
        else throw new KeyAccessDeniedException(s"no access to $key")
      }
    Option(conf.get(TestKeys.Prefix)).foreach(p => builder.withAADPrefix(p.getBytes))
    Option(conf.get(TestKeys.ExpectedPrefix)).foreach { expected =>
      builder.withAADPrefixVerifier { prefix =>
        if (new String(prefix) != expected) throw new ParquetCryptoRuntimeException("other file")
      }
    }
    if (!conf.getBoolean(TestKeys.ChecksSignature, true))
      builder.withoutFooterSignatureVerification()
    if (conf.getBoolean(TestKeys.AllowsPlain, true)) builder.withPlaintextFilesAllowed()
    builder.build()
  }
}

object TestKeys {
  val Known = "test.keys"
  val Prefix = "test.prefix"
  val ExpectedPrefix = "test.expected.prefix"
  val ChecksSignature = "test.checks.signature"
  val AllowsPlain = "test.allows.plain"

  /** The key metadata that the key store received, in order. */
  @volatile var requested: Seq[String] = Nil

  val Footer = "0123456789012345"
  val Id = "1234567890123450"
  val Name = "1234567890123451abcdefgh" // 192 bits
  val All: Seq[String] = Seq(Footer, Id, Name)

  def conf(known: Seq[String], entries: (String, String)*): Configuration = {
    val conf = new Configuration(false)
    conf.set("parquet.crypto.factory.class", classOf[TestKeys].getName)
    conf.setStrings(Known, known: _*)
    entries.foreach { case (key, value) => conf.set(key, value) }
    conf
  }

  def of(known: Seq[String], entries: (String, String)*): Decryption =
    Decryption.of(conf(known, entries: _*), None)

  /**
   * The encryption of a file. `id` and `name` have their own keys, and `twin` has the footer's
   * key unless it stays unencrypted. `open` is not encrypted.
   */
  final case class Scheme(
      plainFooter: Boolean = false,
      cipher: ParquetCipher = ParquetCipher.AES_GCM_V1,
      prefix: Option[String] = None,
      storesPrefix: Boolean = true,
      leavesTwinOpen: Boolean = false) {

    def properties: FileEncryptionProperties = {
      val columns = new util.HashMap[ColumnPath, ColumnEncryptionProperties]
      def add(name: String, key: Option[String]): Unit = {
        val builder = ColumnEncryptionProperties.builder(name)
        key.foreach(k => builder.withKey(k.getBytes).withKeyMetaData(k.reverse.getBytes))
        columns.put(ColumnPath.get(name), builder.build())
      }
      add("id", Some(Id))
      add("name", Some(Name))
      if (!leavesTwinOpen) add("twin", None)
      val builder = FileEncryptionProperties
        .builder(Footer.getBytes)
        .withFooterKeyMetadata(Footer.reverse.getBytes)
        .withAlgorithm(cipher)
        .withEncryptedColumns(columns)
      if (plainFooter) builder.withPlaintextFooter()
      prefix.foreach(p => builder.withAADPrefix(p.getBytes))
      if (!storesPrefix) builder.withoutAADPrefixStorage()
      builder.build()
    }

    /** The settings that a reader needs in addition to the keys. */
    def entries: Seq[(String, String)] =
      prefix.filterNot(_ => storesPrefix).map(Prefix -> _).toSeq
  }

  val Schemes: Seq[Scheme] = for {
    plainFooter <- Seq(false, true)
    cipher <- ParquetCipher.values.toSeq
    (prefix, stores) <- Seq((None, true), (Some("t/p0"), true), (Some("t/p0"), false))
  } yield Scheme(plainFooter, cipher, prefix, stores)
}
