package io.sbbf.parquet.footer

/**
 * @param start of the metadata in the file
 * @param length of the metadata in bytes
 */
private[parquet] final case class StoredFooter(start: Long, length: Int, isEncrypted: Boolean)
