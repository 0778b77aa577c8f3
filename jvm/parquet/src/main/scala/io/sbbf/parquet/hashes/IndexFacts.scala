package io.sbbf.parquet.hashes

/**
 * What an index keeps of a file's footer.
 *
 * @param rowsOf the number of rows of each row group
 * @param schema the packed form of its schema, see [[StoredSchema]]
 * @param columns the requested columns, in the order of the request
 */
private[sbbf] final case class IndexFacts(
    rowsOf: Seq[Long],
    schema: Array[Byte],
    columns: Seq[IndexableColumn])
