package io.sbbf.parquet.sample

/**
 * The facts that a file's footer states.
 *
 * @param rowGroups the numbers of the row groups with rows
 * @param columns the facts about the requested columns
 */
private[sbbf] final case class FileFacts(rowGroups: Seq[Int], columns: Seq[ColumnFacts])
