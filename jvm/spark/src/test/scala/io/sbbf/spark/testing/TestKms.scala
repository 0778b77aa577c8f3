package io.sbbf.spark.testing

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.crypto.KeyAccessDeniedException
import org.apache.parquet.crypto.keytools.{KeyToolkit, KmsClient}

/** A key management service with three master keys, and with grants for each access token. */
final class TestKms extends KmsClient {
  private var token = ""

  override def initialize(
      conf: Configuration,
      instance: String,
      url: String,
      accessToken: String): Unit = token = accessToken

  override def wrapKey(key: Array[Byte], master: String): String =
    KeyToolkit.encryptKeyLocally(key, secret(master), master.getBytes)

  override def unwrapKey(wrapped: String, master: String): Array[Byte] =
    KeyToolkit.decryptKeyLocally(wrapped, secret(master), master.getBytes)

  private def secret(master: String): Array[Byte] =
    if (TestKms.Grants.getOrElse(token, Set.empty).contains(master))
      TestKms.Masters(master).getBytes
    else throw new KeyAccessDeniedException(s"$token may not use $master")
}

object TestKms {
  val Masters: Map[String, String] = Map(
    "kFooter" -> "the footers' key",
    "kId" -> "the ids' own key",
    "kName" -> "a key for names!")

  val Grants: Map[String, Set[String]] =
    Map("holder" -> Masters.keySet, "half" -> Set("kFooter", "kId"), "eve" -> Set.empty)

  /** Returns the settings to read and write encrypted files with this token. */
  def conf(token: String): Map[String, String] = Map(
    "parquet.crypto.factory.class" ->
      "org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory",
    "parquet.encryption.kms.client.class" -> classOf[TestKms].getName,
    "parquet.encryption.key.access.token" -> token
  )
}
