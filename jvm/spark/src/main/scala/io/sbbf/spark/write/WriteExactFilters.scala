package io.sbbf.spark.write

import org.apache.parquet.crypto.EncryptionPropertiesFactory
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan, Union}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

import io.sbbf.spark.util.{ExecutorJar, SbbfConf}

/**
 * Replaces Spark's Parquet format by [[ExactParquetFormat]] where the options of the writer, the
 * table or the session request bloom filters. parquet-mr writes the filters of encrypted files,
 * because it encrypts them. It also writes all filters if executors may lack the classes, or if
 * [[SbbfConf.RowGroupPruning]] is off because other code looks for Spark's own format. Warns where a
 * write ignores such options.
 */
private[spark] final class WriteExactFilters(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case union: Union if union.children.forall(_.isInstanceOf[Command]) => // FROM t INSERT … INSERT …
      union.copy(children = union.children.map(written))
    case other =>
      if (isOn) StreamSinks.makeExact(session, isExact)
      written(other)
  }

  private def written(plan: LogicalPlan): LogicalPlan = {
    IgnoredOptions.warn(plan, session)
    exact(plan)
  }

  private def exact(plan: LogicalPlan): LogicalPlan = plan match {
    case command: InsertIntoHadoopFsRelationCommand
        if command.fileFormat.getClass == classOf[ParquetFileFormat] &&
          isOn && isExact(command.options) =>
      // equals the old command, because all of Spark's Parquet formats are equal; the optimizer
      // uses the new one nevertheless
      command.copy(fileFormat = new ExactParquetFormat(() =>
        TableSize.of(command, session.sessionState.newHadoopConf())))
    case _ => plan
  }

  private def isOn: Boolean =
    Seq(SbbfConf.Enabled, SbbfConf.ExactFilters, SbbfConf.RowGroupPruning).forall(_.get(conf))

  /** Whether a writer with these options writes exact filters. */
  private def isExact(options: Map[String, String]): Boolean = {
    val settings = session.sessionState.newHadoopConfWithOptions(options)
    !FilterOptions.of(settings).isEmpty &&
    settings.get(EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME) == null &&
    ExecutorJar.isThere(session.sparkContext)
  }
}
