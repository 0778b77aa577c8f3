package io.sbbf.spark.iceberg

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.types.StructField

import io.sbbf.core.predicate.KeyFunction
import io.sbbf.parquet.model.{ColumnLookup, ReaderRules}
import io.sbbf.spark.predicate.PredicateTranslator
import io.sbbf.spark.scan.FileColumns
import io.sbbf.spark.search.TableIndex

/** The columns of an Iceberg table. Its files store them by their ids, whatever their names. */
private[iceberg] final class IcebergColumns(scan: IcebergScan) extends FileColumns {

  private val columns: Map[String, IcebergField] =
    scan.columns.filter(_.isInFiles).map(c => c.name -> c).toMap

  /** The columns whose values Iceberg may read from its metadata. */
  private val partitionColumns: Set[String] =
    columns.values.filter(_.ids.exists(scan.identityIds)).map(_.name).toSet

  override val lookup: ColumnLookup =
    ColumnLookup(
      scan.isCaseSensitive,
      defaulted = columns.values.filter(_.hasDefault).map(_.name).toSet,
      ReaderRules.Iceberg)

  override protected def translator: PredicateTranslator =
    new PredicateTranslator(
      partitionColumns,
      scan.isCaseSensitive,
      byFieldId = true,
      () => functions)

  override protected def findFunctions(): Seq[KeyFunction] =
    scan.session.toSeq.flatMap { session =>
      val state = session.sessionState
      TableIndex.functions(Seq(new Path(scan.location)), state.newHadoopConf(), state.conf)
    }

  /** Drops filters on columns that Iceberg adds to its tables, such as `_file`. */
  override protected def stored(filters: Seq[Expression]): Seq[Expression] =
    filters
      .filter(_.references.forall(a => columns.contains(a.name)))
      .map(_.transform { case a: AttributeReference =>
        val field =
          columns(a.name).withId(StructField(a.name, a.dataType, a.nullable, a.metadata))
        AttributeReference(a.name, field.dataType, a.nullable, field.metadata)(
          a.exprId,
          a.qualifier)
      })

  override protected def isPartitionColumn(column: Attribute): Boolean =
    partitionColumns.contains(column.name)
}
