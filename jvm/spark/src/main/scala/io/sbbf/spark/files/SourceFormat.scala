package io.sbbf.spark.files

import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.spark.util.SbbfConf

/** Recognizes the file formats whose scans can be pruned. */
private[spark] object SourceFormat {

  /** Returns whether it is Spark's own class, or the one that reads what is left of its files. */
  def isPrunable(format: FileFormat, conf: SQLConf): Boolean =
    isParquet(format) || isOrc(format) && SbbfConf.Orc.get(conf)

  def isParquet(format: FileFormat): Boolean =
    format.getClass == classOf[ParquetFileFormat] || format.isInstanceOf[PrunedParquetFormat]

  def isOrc(format: FileFormat): Boolean =
    format.getClass == classOf[OrcFileFormat] || format.isInstanceOf[PrunedOrcFormat]

  /** Returns whether tasks read only what is kept of a file. */
  def isTrimmed(format: FileFormat): Boolean =
    format.isInstanceOf[PrunedParquetFormat] || format.isInstanceOf[PrunedOrcFormat]
}
