package io.sbbf.parquet.sample

import io.sbbf.core.predicate.ColumnPath

/**
 * The table that files belong to.
 *
 * @param columns the names of the table's columns, and where its files hold their values
 */
private[sbbf] final case class SampledTable(
    columns: Seq[(String, ColumnPath)],
    caseSensitive: Boolean)
