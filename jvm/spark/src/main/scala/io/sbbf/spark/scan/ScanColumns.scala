package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.spark.predicate.PredicateTranslator

/**
 * How filters on a relation name columns of its files. By the settings of the relation's own session, by which its
 * readers go, and as they are when this is asked: another session may plan the query, and settings may change before
 * it runs.
 */
private[spark] final class ScanColumns(files: HadoopFsRelation) {
  private def conf: SQLConf = files.sparkSession.sessionState.conf

  def areFoundById: Boolean = SparkInternals.readsByFieldId(conf)

  /** Reads predicates on the relation. */
  def translator: PredicateTranslator =
    new PredicateTranslator(
      files.partitionSchema.fieldNames.toSet,
      conf.caseSensitiveAnalysis,
      areFoundById)

  /** Finds the columns in files, some of which may lack those with an existence default. */
  def lookup: ColumnLookup = {
    // the key of Spark's ResolveDefaultColumns
    val defaulted = files.dataSchema.fields.filter(_.metadata.contains("EXISTS_DEFAULT"))
    ColumnLookup(conf.caseSensitiveAnalysis, defaulted.map(_.name).toSet)
  }

  /** Why parts of a filter over a scan with this output can rule out nothing in its files; names no values. */
  def unused(conjuncts: Seq[Expression], output: Seq[Attribute]): Seq[String] =
    translator.unused(ofFiles(conjuncts, output))

  /** What evidence could answer of a filter over a scan with this output. */
  def predicate(conjuncts: Seq[Expression], output: Seq[Attribute]): RowGroupPredicate =
    translator.translate(ofFiles(conjuncts, output))

  /** Without those of partition columns alone. */
  private def ofFiles(conjuncts: Seq[Expression], output: Seq[Attribute]): Seq[Expression] =
    SparkInternals
      .normalize(conjuncts, output)
      .filterNot(c =>
        c.references.nonEmpty && c.references.forall(a =>
          files.partitionSchema.exists(f => conf.resolver(f.name, a.name))))
}
