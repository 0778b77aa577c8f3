package io.sbbf.index.format

/**
 * A file of keys.
 *
 * @param indexOffset the position after the pages, where their index begins
 * @param checksum the CRC-32 of the bytes from there to the end of the file
 * @param keys the number of distinct keys
 * @param entries the number of pairs of a key and a row group
 */
private[sbbf] final case class StoredPart(
    name: String,
    bytes: Long,
    indexOffset: Long,
    checksum: Long,
    keys: Long,
    entries: Long,
    firstKey: Long,
    lastKey: Long)
