package io.sbbf.spark.write

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.sbbf.spark.formats.Formats
import io.sbbf.spark.table.LakeFormat
import io.sbbf.spark.util.LogOnce

/**
 * Warns of writes whose options request filters that the format ignores: Delta and Iceberg take these
 * requests from the properties of the table.
 */
private object IgnoredOptions {

  def warn(plan: LogicalPlan, session: SparkSession): Unit =
    for {
      Written(writer, provider, options) <- written(plan).orElse(ofStream(session))
      requested = columnsOf(options) if requested.nonEmpty
      format <- formatOf(writer, provider)
    } {
      val columns = requested.mkString(", ")
      LogOnce.once(
        s"options of ${format.name}: $columns",
        s"${format.aTable} ignores the writer's options for bloom filters of $columns. Unless it " +
          "has them, set its properties: ALTER TABLE ... SET TBLPROPERTIES with what bloom_options(..., " +
          s"format='${format.name.toLowerCase(Locale.ROOT)}') returns."
      )
    }

  /** Returns the columns that options request filters of: those of parquet-mr, or Iceberg's properties. */
  private def columnsOf(options: Map[String, String]): Seq[String] = {
    val filters = FilterOptions.of(options)
    val named = filters.columns ++ options.keys
      .filter(_.startsWith(OfIceberg))
      .map(_.drop(OfIceberg.length))
    if (named.isEmpty && !filters.isEmpty) Seq("all columns") else named.sorted
  }

  private final val OfIceberg = "write.parquet.bloom-filter-enabled.column."

  /**
   * @param writer the source, the table or the catalog that writes
   * @param provider the name of a new table's format, if the statement has one
   */
  private final case class Written(
      writer: AnyRef,
      provider: Option[String],
      options: Map[String, String])

  private def written(plan: LogicalPlan): Option[Written] = plan match {
    case save: SaveIntoDataSourceCommand => Some(Written(save.dataSource, None, save.options))
    case write: AppendData => into(write, write.writeOptions)
    case write: OverwriteByExpression => into(write, write.writeOptions)
    case write: OverwritePartitionsDynamic => into(write, write.writeOptions)
    case create: CreateTableAsSelect =>
      created(create.name, create.tableSpec, create.writeOptions)
    case replace: ReplaceTableAsSelect =>
      created(replace.name, replace.tableSpec, replace.writeOptions)
    case _ => None
  }

  private def ofStream(session: SparkSession): Option[Written] =
    StreamSinks.writer(session).map { case (sink, options) => Written(sink, None, options) }

  private def into(write: V2WriteCommand, options: Map[String, String]): Option[Written] =
    write.table match {
      case relation: DataSourceV2Relation => Some(Written(relation.table, None, options))
      case _ => None
    }

  private def created(
      name: LogicalPlan,
      spec: TableSpecBase,
      options: Map[String, String]): Option[Written] = name match {
    case ResolvedIdentifier(catalog, _) => Some(Written(catalog, spec.provider, options))
    case _ => None
  }

  /** A catalog of one format may also make tables of another one, which the statement then names. */
  private def formatOf(writer: AnyRef, provider: Option[String]): Option[LakeFormat] =
    Formats.lakes.find(format =>
      format.hasClass(writer) && provider.forall(_.equalsIgnoreCase(format.name)))
}
