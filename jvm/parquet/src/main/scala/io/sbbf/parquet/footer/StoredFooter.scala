package io.sbbf.parquet.footer

/**
 * Holds the position of a file's metadata.
 *
 * @param start the offset of the metadata in the file
 * @param length the length of the metadata in bytes
 * @param isEncrypted whether the file's magic marks the footer as encrypted
 */
private[parquet] final case class StoredFooter(start: Long, length: Int, isEncrypted: Boolean)
