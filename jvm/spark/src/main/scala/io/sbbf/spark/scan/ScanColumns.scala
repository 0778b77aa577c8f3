package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.spark.predicate.PredicateTranslator

/**
 * Resolves the columns that filters on a relation name in its files. It reads the settings of the
 * relation's own session, which its readers follow, at each call: another session may plan the
 * query, and settings may change before the query runs.
 */
private[spark] final class ScanColumns(files: HadoopFsRelation) {
  private def conf: SQLConf = files.sparkSession.sessionState.conf

  def areFoundById: Boolean = SparkInternals.readsByFieldId(conf)

  /** Returns a translator for predicates on the relation. */
  def translator: PredicateTranslator =
    new PredicateTranslator(
      files.partitionSchema.fieldNames.toSet,
      conf.caseSensitiveAnalysis,
      areFoundById)

  /** Returns a lookup of columns in files, which may lack columns with an existence default. */
  def lookup: ColumnLookup = {
    // the key of Spark's ResolveDefaultColumns
    val defaulted = files.dataSchema.fields.filter(_.metadata.contains("EXISTS_DEFAULT"))
    ColumnLookup(conf.caseSensitiveAnalysis, defaulted.map(_.name).toSet)
  }

  /** Returns why parts of a filter over a scan with this output cannot prune; names no values. */
  def unused(conjuncts: Seq[Expression], output: Seq[Attribute]): Seq[String] =
    translator.unused(ofFiles(conjuncts, output))

  /** Returns the predicate over row groups for a filter over a scan with this output. */
  def predicate(conjuncts: Seq[Expression], output: Seq[Attribute]): RowGroupPredicate =
    translator.translate(ofFiles(conjuncts, output))

  /** Returns the conjuncts without those that reference only partition columns. */
  private def ofFiles(conjuncts: Seq[Expression], output: Seq[Attribute]): Seq[Expression] =
    SparkInternals
      .normalize(conjuncts, output)
      .filterNot(c =>
        c.references.nonEmpty && c.references.forall(a =>
          files.partitionSchema.exists(f => conf.resolver(f.name, a.name))))
}
