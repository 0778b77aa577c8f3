package io.sbbf.parquet.footer

import org.apache.parquet.format.FileMetaData

/**
 * Holds the metadata of a file and its position.
 *
 * @param start the offset of the metadata in the file
 * @param thrift the metadata as stored
 * @param metadata the metadata after parsing
 */
private[parquet] final case class LocatedMetadata(
    start: Long,
    thrift: Array[Byte],
    metadata: FileMetaData)
