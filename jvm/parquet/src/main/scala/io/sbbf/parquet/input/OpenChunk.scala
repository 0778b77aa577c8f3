package io.sbbf.parquet.input

import org.apache.parquet.format.ColumnMetaData

/** A column chunk that can be read: its metadata, and access to its other modules. */
private[parquet] final case class OpenChunk(metadata: ColumnMetaData, modules: ChunkModules)
