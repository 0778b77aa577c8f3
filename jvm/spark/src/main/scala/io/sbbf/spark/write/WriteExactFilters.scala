package io.sbbf.spark.write

import org.apache.parquet.crypto.EncryptionPropertiesFactory
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan, Union}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

import io.sbbf.spark.plan.ExecutorJar
import io.sbbf.spark.{Notices, SbbfConf}

/**
 * Has Parquet files written by [[ExactParquetFormat]] where the writer's options, the table's or the
 * session's ask for bloom filters. Encrypted files are left to parquet-mr, which encrypts filters, and so is
 * everything where executors may lack the classes or others look for Spark's own format, and what a streaming
 * sink writes, which one warning says.
 */
private[spark] object WriteExactFilters extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case union: Union if union.children.forall(_.isInstanceOf[Command]) => // FROM t INSERT … INSERT …
      union.copy(children = union.children.map(written))
    case other =>
      if (isOfStream && isOn) warnOfStreams()
      written(other)
  }

  private def written(plan: LogicalPlan): LogicalPlan = plan match {
    case command: InsertIntoHadoopFsRelationCommand
        if command.fileFormat.getClass == classOf[ParquetFileFormat] &&
          isOn && asksForFilters(command.options) &&
          ExecutorJar.isThere(SparkSession.active.sparkContext) =>
      // equal to the command before, as all of Spark's formats are: the optimizer takes the new one all the same
      command.copy(fileFormat = new ExactParquetFormat(() => TableSize.of(command)))
    case _ => plan
  }

  private def isOn: Boolean =
    Seq(SbbfConf.Enabled, SbbfConf.ExactFilters, SbbfConf.FormatEnabled).forall(_.get(conf))

  /** Whether this is a batch of a stream (`StreamExecution.QUERY_ID_KEY`); its sink shows in no plan. */
  private def isOfStream: Boolean =
    SparkSession.active.sparkContext.getLocalProperty("sql.streaming.queryId") != null

  /** Where the session asks for filters that stock knows of. */
  private def warnOfStreams(): Unit =
    if (!FilterOptions.of(conf.getAllConfs - FilterOptions.Auto).isEmpty)
      Notices.once(
        "streams",
        "Where a stream writes Parquet files itself, not in foreachBatch, it hands its format to the writer: their " +
          "bloom filters are stock Spark's, of the size that parquet.bloom.filter.expected.ndv says. Spark does not " +
          "hand on the options of such a stream, only the session's settings."
      )

  private def asksForFilters(options: Map[String, String]): Boolean = {
    val settings = SparkSession.active.sessionState.newHadoopConfWithOptions(options)
    !FilterOptions.of(settings).isEmpty &&
    settings.get(EncryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME) == null
  }
}
