package io.sbbf.spark.cli

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.format.converter.ParquetMetadataConverter.SKIP_ROW_GROUPS
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.hadoop.{Footer, ParquetFileReader}
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetFileFormat,
  ParquetToSparkSchemaConverter
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types.StructType

private[cli] object TableSchema {

  /**
   * Returns the schema that Spark derives from one file: the one that Spark wrote into it, or
   * else the converted Parquet schema.
   */
  def of(file: FileStatus, conf: SQLConf, hadoopConf: Configuration): StructType = {
    val options = HadoopReadOptions
      .builder(hadoopConf, file.getPath)
      .withMetadataFilter(SKIP_ROW_GROUPS)
      .build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromStatus(file, hadoopConf), options)
    try
      SparkInternals.nullable(
        ParquetFileFormat.readSchemaFromFooter(
          new Footer(file.getPath, reader.getFooter),
          new ParquetToSparkSchemaConverter(conf)))
    finally reader.close()
  }
}
