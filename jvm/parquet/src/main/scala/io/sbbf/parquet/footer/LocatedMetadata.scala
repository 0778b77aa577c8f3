package io.sbbf.parquet.footer

import org.apache.parquet.format.FileMetaData

/**
 * @param start of the metadata in the file
 * @param thrift as it is stored
 */
private[parquet] final case class LocatedMetadata(
    start: Long,
    thrift: Array[Byte],
    metadata: FileMetaData)
