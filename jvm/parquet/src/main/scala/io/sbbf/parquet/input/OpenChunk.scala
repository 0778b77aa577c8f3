package io.sbbf.parquet.input

import org.apache.parquet.format.ColumnMetaData

/** A column chunk that can be read: its metadata, and how its other modules are. */
private[parquet] final case class OpenChunk(metadata: ColumnMetaData, modules: ChunkModules)
