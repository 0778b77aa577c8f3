package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.core.predicate.{ColumnPath, KeyFunction, RowGroupPredicate}
import io.sbbf.parquet.model.{ColumnLookup, RecoverableError}
import io.sbbf.spark.predicate.PredicateTranslator

/** Translates filters on a table into predicates on the columns of its files. */
private[spark] abstract class FileColumns {

  /** Returns a lookup of columns in files, which may lack columns that have a default. */
  def lookup: ColumnLookup

  /** Whether an index is right only for scans that read files with the same options and settings. */
  def indexDependsOnRead: Boolean = false

  /** Returns the name of a column of the files in the table. */
  def nameInTable(column: ColumnPath): String = column.toString

  /** Returns a translator for predicates on the columns of the files. */
  protected def translator: PredicateTranslator

  /** Returns the functions of columns whose keys the index of the table has. May read the index. */
  protected def findFunctions(): Seq[KeyFunction]

  /** The functions, found when a predicate first could use one. None if the index cannot be found. */
  protected final lazy val functions: Seq[KeyFunction] =
    try findFunctions()
    catch { case RecoverableError(_) => Nil }

  /** Returns the filters in terms of the columns of the files, without those on other columns. */
  protected def stored(filters: Seq[Expression]): Seq[Expression]

  /** Returns whether the table does not take a column's values from its files. */
  protected def isPartitionColumn(column: Attribute): Boolean

  /** Returns the predicate over row groups for data filters in the form that an index gets. */
  final def translate(dataFilters: Seq[Expression]): RowGroupPredicate =
    translator.translate(stored(dataFilters))

  /** Returns why parts of a filter over a scan with this output cannot prune; names no values. */
  final def unused(conjuncts: Seq[Expression], output: Seq[Attribute]): Seq[String] =
    translator.unused(stored(ofFiles(conjuncts, output)))

  /** Returns the predicate over row groups for a filter over a scan with this output. */
  final def predicate(conjuncts: Seq[Expression], output: Seq[Attribute]): RowGroupPredicate =
    translate(ofFiles(conjuncts, output))

  /** Returns the conjuncts without those that reference only partition columns. */
  private def ofFiles(conjuncts: Seq[Expression], output: Seq[Attribute]): Seq[Expression] =
    SparkInternals
      .normalize(conjuncts, output)
      .filterNot(c => c.references.nonEmpty && c.references.forall(isPartitionColumn))
}
