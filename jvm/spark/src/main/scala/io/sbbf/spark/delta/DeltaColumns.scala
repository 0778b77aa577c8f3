package io.sbbf.spark.delta

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.ColumnPath.{Element, Field, Key, Step, Value}

/**
 * The columns of a Delta table as its files store them. Column mapping gives them other names, and
 * possibly ids.
 *
 * @param table the table's schema
 * @param toFiles the function of Delta's format from a schema in the table's terms to the schema
 *   that its reader requests from the files
 * @param partitionColumns the names of columns that the files do not store
 */
private[spark] final class DeltaColumns(
    table: StructType,
    toFiles: StructType => StructType,
    partitionColumns: Set[String]) {

  /**
   * Returns a filter in terms of the columns of the files. Returns None if it references a column
   * that is not one of the table: Delta adds columns to a scan, such as whether a row is deleted.
   */
  def stored(filter: Expression): Option[Expression] =
    if (filter.references.exists(a => !isInFiles(a.name))) None
    else
      Some(filter.transform { case a: AttributeReference =>
        // the type may have fewer fields than the table's column
        val field = toFiles(StructType(Seq(StructField(a.name, a.dataType, a.nullable)))).head
        AttributeReference(field.name, field.dataType, a.nullable, field.metadata)(
          a.exprId,
          a.qualifier)
      })

  /** Returns the schema of the files for a schema of a scan. */
  def stored(schema: StructType): StructType =
    toFiles(StructType(schema.filter(f => isInFiles(f.name))))

  /** Returns the name in the table of a column of the files. */
  def nameInTable(column: ColumnPath): String =
    ColumnPath(renamed(column.steps, toFiles(table), table)).toString

  private def isInFiles(name: String): Boolean =
    table.fieldNames.contains(name) && !partitionColumns.contains(name)

  private def renamed(steps: Seq[Step], stored: DataType, named: DataType): Seq[Step] =
    (steps.headOption, stored, named) match {
      case (Some(field: Field), stored: StructType, named: StructType)
          if stored.fieldNames.contains(field.name) =>
        val place = stored.fieldIndex(field.name)
        Field(named(place).name) +: renamed(
          steps.tail,
          stored(place).dataType,
          named(place).dataType)
      case (Some(Element), ArrayType(stored, _), ArrayType(named, _)) =>
        Element +: renamed(steps.tail, stored, named)
      case (Some(Key), MapType(stored, _, _), MapType(named, _, _)) =>
        Key +: renamed(steps.tail, stored, named)
      case (Some(Value), MapType(_, stored, _), MapType(_, named, _)) =>
        Value +: renamed(steps.tail, stored, named)
      case _ => steps
    }
}

private[spark] object DeltaColumns {

  /** Returns the columns of a Delta table's relation, None for any other relation. */
  def of(files: HadoopFsRelation): Option[DeltaColumns] =
    if (!DeltaRelation.is(files)) None
    else {
      val format = files.fileFormat
      val table = format.getClass.getMethod("referenceSchema").invoke(format)
      val toFiles = format.getClass.getMethod("prepareSchemaForRead", classOf[StructType])
      Some(
        new DeltaColumns(
          table.asInstanceOf[StructType],
          toFiles.invoke(format, _).asInstanceOf[StructType],
          files.partitionSchema.fieldNames.toSet))
    }
}
