package io.sbbf.parquet.sample

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.input.FileStore

/**
 * The table that files belong to.
 *
 * @param columns the names of the table's columns, and where its files hold their values
 * @param store the table's own store; None if Hadoop opens the files
 */
private[sbbf] final case class SampledTable(
    columns: Seq[(String, ColumnPath)],
    caseSensitive: Boolean,
    store: Option[FileStore])
