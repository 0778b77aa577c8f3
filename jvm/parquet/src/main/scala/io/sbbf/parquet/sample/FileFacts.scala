package io.sbbf.parquet.sample

/**
 * @param rowGroups those with rows, by their numbers
 * @param columns that were asked for
 */
private[sbbf] final case class FileFacts(rowGroups: Seq[Int], columns: Seq[ColumnFacts])
