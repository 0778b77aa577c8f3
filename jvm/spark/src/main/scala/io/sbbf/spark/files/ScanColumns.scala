package io.sbbf.spark.files

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals
import org.apache.spark.sql.types.StructType

import io.sbbf.core.predicate.KeyFunction
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.predicate.PredicateTranslator
import io.sbbf.spark.pushdown.PushdownGuard
import io.sbbf.spark.scan.FileColumns
import io.sbbf.spark.search.TableIndex

/**
 * Resolves the columns that filters on a relation name in its files. It reads the settings of the
 * relation's own session, which its readers follow, at each call: another session may plan the
 * query, and settings may change before the query runs.
 */
private[spark] class ScanColumns(files: HadoopFsRelation) extends FileColumns {
  private def conf: SQLConf = files.sparkSession.sessionState.conf

  private val isParquet = !SourceFormat.isIndexedByFile(files.fileFormat)

  private def areFoundById: Boolean = isParquet && SparkInternals.readsByFieldId(conf)

  override protected def translator: PredicateTranslator =
    new PredicateTranslator(
      files.partitionSchema.fieldNames.toSet,
      conf.caseSensitiveAnalysis,
      areFoundById,
      () => functions)

  override protected def findFunctions(): Seq[KeyFunction] =
    TableIndex.functions(
      files.location.rootPaths,
      files.sparkSession.sessionState.newHadoopConfWithOptions(files.options),
      conf,
      ReadFingerprint.ofScan(files))

  private def readsRows: Boolean =
    isParquet && !ParquetUtils.isBatchReadSupportedForSchema(conf, files.schema)

  override def lookup: ColumnLookup = {
    val defaulted = inFiles(TableColumns.defaulted(files.dataSchema)).fieldNames.toSet
    ColumnLookup(
      conf.caseSensitiveAnalysis,
      defaulted,
      overwritten = if (readsRows) defaulted else Set.empty)
  }

  /**
   * Returns the guard of what parquet-mr may evaluate for data filters of a scan of the relation.
   *
   * @param mayPushMore whether Spark may push filters that are not among these
   */
  def guard(dataFilters: Seq[Expression], mayPushMore: Boolean): PushdownGuard = {
    // the format of pruned ORC scans withholds filters by itself
    val pushed = if (!isParquet) Nil else SparkInternals.pushedFilters(stored(dataFilters))
    PushdownGuard(
      pushed,
      inFiles(files.dataSchema),
      areFoundById,
      conf.caseSensitiveAnalysis,
      isParquet && (mayPushMore || dataFilters.exists(mixes)),
      readsRows
    )
  }

  override def indexDependsOnRead: Boolean = SourceFormat.isIndexedByFile(files.fileFormat)

  /** Returns whether an index of the table lists the files of its newest version at each call. */
  def listsNewest: FileIndex => Boolean = _ => false

  /** Returns the schema of the files for one of the table. */
  protected def inFiles(schema: StructType): StructType = schema

  /** Returns whether a filter references columns of the files and others that Spark does not know of. */
  protected def mixes: Expression => Boolean = _ => false

  override protected def stored(filters: Seq[Expression]): Seq[Expression] = filters

  override protected def isPartitionColumn(column: Attribute): Boolean =
    files.partitionSchema.exists(f => conf.resolver(f.name, column.name))
}
