package io.sbbf.spark.scan

import io.sbbf.parquet.result.ScanPruning
import io.sbbf.spark.pages.PageCounts

/**
 * What pruning did to one scan.
 *
 * @param late the keys that the query found while it ran
 * @param pages what tasks have read of the row groups that are left
 */
private[spark] final case class PrunedTable(
    paths: Seq[String],
    columns: FileColumns,
    selection: ScanPruning,
    late: Seq[LateKeys],
    pages: PageCounts = PageCounts.Zero)
