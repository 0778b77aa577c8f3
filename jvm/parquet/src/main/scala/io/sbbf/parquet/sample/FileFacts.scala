package io.sbbf.parquet
package sample

/**
 * @param rowGroups those with rows, by their numbers
 * @param columns that were asked for
 */
private[sbbf] final case class FileFacts(rowGroups: Seq[Int], columns: Seq[ColumnFacts])

/**
 * What the footer tells of one column, summed over the row groups in which it has values.
 *
 * @param column its dotted Parquet path
 * @param whyNone why a filter of its type is of no use, if it is of none
 * @param chunks one for each of these row groups
 * @param bytes of all of its chunks, compressed
 * @param filters chunks that have one, whatever it is worth
 * @param filterBytes of these, with their headers, as far as they are told
 * @param filtersAlone filters of chunks whose values are not all in a dictionary
 * @param dictionaries chunks all of whose values are in a dictionary that pruning reads
 * @param dictionaryBytes of these, compressed
 */
private[sbbf] final case class ColumnFacts(
    column: String,
    dataType: String,
    whyNone: Option[String],
    chunks: Int,
    bytes: Long,
    filters: Int,
    filterBytes: Long,
    filtersAlone: Int,
    dictionaries: Int,
    dictionaryBytes: Long)

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

/**
 * @param bytes of its bitset
 * @param fpp by the bits that are set; 1 for one that is not to be believed
 */
private[sbbf] final case class ExistingFilter(bytes: Int, fpp: Double)
