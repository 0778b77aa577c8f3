package io.sbbf.spark.formats

import io.sbbf.spark.delta.DeltaScans
import io.sbbf.spark.iceberg.IcebergScans
import io.sbbf.spark.orc.OrcScans
import io.sbbf.spark.parquet.ParquetScans
import io.sbbf.spark.scan.ScanFormat
import io.sbbf.spark.source.SourceScans

/** The formats whose scans are pruned. */
private[spark] object Formats {

  /** The first that knows a scan prunes it. Delta's files are Parquet files. */
  val all: Seq[ScanFormat] = Seq(DeltaScans, ParquetScans, OrcScans, SourceScans, IcebergScans)
}
