package io.sbbf.parquet.sample

/**
 * The facts that a footer states about one column, summed over the row groups that have values of
 * it.
 *
 * @param column the column's name in the table, or else its dotted Parquet path
 * @param stored the column's dotted Parquet path
 * @param dataType the column's Parquet type
 * @param whyNone the reason why a filter of this type is useless; None if it is useful
 * @param chunks the number of row groups that have values
 * @param bytes the compressed size of all of the column's chunks, with those that have only nulls
 * @param filters the number of chunks with a filter, valid or not
 * @param filterBytes the size of these filters with their headers; a missing length counts as 0
 * @param filtersAlone the number of chunks with a filter and without a dictionary that pruning
 *   reads
 * @param dictionaries the number of chunks whose values are all in a dictionary that pruning
 *   reads
 * @param dictionaryBytes the compressed size of these dictionaries
 */
private[sbbf] final case class ColumnFacts(
    column: String,
    stored: String,
    dataType: String,
    whyNone: Option[String],
    chunks: Int,
    bytes: Long,
    filters: Int,
    filterBytes: Long,
    filtersAlone: Int,
    dictionaries: Int,
    dictionaryBytes: Long)
