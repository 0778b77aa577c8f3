package io.sbbf.spark.formats

import io.sbbf.spark.delta.{DeltaScans, DeltaTable}
import io.sbbf.spark.iceberg.{IcebergScans, IcebergTable}
import io.sbbf.spark.orc.OrcScans
import io.sbbf.spark.parquet.ParquetScans
import io.sbbf.spark.scan.ScanFormat
import io.sbbf.spark.source.SourceScans
import io.sbbf.spark.table.LakeFormat

/** The formats of tables and files that the extension knows. */
private[spark] object Formats {

  /** The formats whose scans are pruned. The first that knows a scan prunes it. Delta's files are Parquet files. */
  val all: Seq[ScanFormat] = Seq(DeltaScans, ParquetScans, OrcScans, SourceScans, IcebergScans)

  /** The formats of tables that commands take by their names. */
  val lakes: Seq[LakeFormat] = Seq(DeltaTable, IcebergTable)

  /** Returns the lake format of this name, None for a format that writes no filters. */
  def lake(name: String): Option[LakeFormat] = lakes.find(_.name == name)
}
