package io.sbbf.parquet.sample

/**
 * Describes the values of one column chunk.
 *
 * @param column the column's dotted Parquet path
 * @param values the sketch of all values
 * @param some a random sample of the values, in PLAIN encoding
 * @param filter the chunk's bloom filter, if it has one
 */
private[sbbf] final case class ChunkSample(
    column: String,
    values: KmvSketch,
    some: Seq[Array[Byte]],
    filter: Option[ExistingFilter])
