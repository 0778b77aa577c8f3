package io.sbbf.index.format

/**
 * The table of a segment's files.
 *
 * @param files the number of its rows
 * @param checksum the CRC-32 of the file
 */
private[sbbf] final case class StoredTable(name: String, bytes: Long, files: Int, checksum: Long)
