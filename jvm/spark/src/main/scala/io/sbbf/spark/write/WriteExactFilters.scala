package io.sbbf.spark.write

import org.apache.parquet.crypto.EncryptionPropertiesFactory
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

import io.sbbf.spark.SbbfConf

/**
 * Has Parquet files written by [[ExactParquetFormat]] where the writer's options, the table's or the
 * session's ask for bloom filters. Encrypted files are left to parquet-mr, which encrypts filters.
 */
private[spark] object WriteExactFilters extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case command: InsertIntoHadoopFsRelationCommand
        if command.fileFormat.getClass == classOf[ParquetFileFormat] &&
          SbbfConf.Enabled.get(conf) && SbbfConf.ExactFilters.get(conf) &&
          asksForFilters(command.options) =>
      command.copy(fileFormat = new ExactParquetFormat(() => TableSize.rowGroups(command)))
    case _ => plan
  }

  private def asksForFilters(options: Map[String, String]): Boolean = {
    val settings = SparkSession.active.sessionState.newHadoopConfWithOptions(options)
    !FilterOptions.of(settings).isEmpty &&
    settings.get(EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME) == null
  }
}
