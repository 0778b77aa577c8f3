package io.sbbf.parquet.sample

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
