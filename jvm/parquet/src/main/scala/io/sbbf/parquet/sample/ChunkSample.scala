package io.sbbf.parquet.sample

/**
 * What the values of one chunk are like.
 *
 * @param some of its values, in PLAIN encoding
 * @param filter that it has
 */
private[sbbf] final case class ChunkSample(
    column: String,
    values: KmvSketch,
    some: Seq[Array[Byte]],
    filter: Option[ExistingFilter])
