package io.sbbf.spark.scan

import io.sbbf.parquet.result.ScanPruning

/**
 * What pruning did to one scan.
 *
 * @param late the keys that the query found while it ran
 */
private[spark] final case class PrunedTable(
    paths: Seq[String],
    columns: FileColumns,
    selection: ScanPruning,
    late: Seq[LateKeys])
