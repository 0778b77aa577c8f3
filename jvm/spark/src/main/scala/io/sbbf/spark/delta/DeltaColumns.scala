package io.sbbf.spark.delta

import java.lang.reflect.Method

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.ColumnPath.{Element, Field, Key, Step, Value}
import io.sbbf.spark.column.{MetadataColumn, TableColumns}

/**
 * The columns of a Delta table as its files store them. Column mapping gives them other names, and
 * possibly ids.
 *
 * @param table the table's schema
 * @param toFiles the function of Delta's format from a schema in the table's terms to the schema
 *   that its reader requests from the files
 * @param partitionColumns the names of columns that the files do not store
 */
private[delta] final class DeltaColumns(
    table: StructType,
    toFiles: StructType => StructType,
    partitionColumns: Set[String]) {

  /**
   * Returns a filter in terms of the columns of the files. Returns None if it references anything
   * else. Delta adds columns to a scan, such as whether a row is deleted. Spark names parts of
   * `_metadata` without a prefix, as `file_size`, and the table may have a column of that name.
   */
  def filterOnFiles(filter: Expression): Option[Expression] =
    if (filter.references.exists(!isInFiles(_))) None
    else
      Some(filter.transform { case a: AttributeReference =>
        // the type may have fewer fields than the table's column
        val column = StructField(a.name, a.dataType, a.nullable, a.metadata)
        val field = toFiles(StructType(Seq(column))).head
        AttributeReference(field.name, field.dataType, a.nullable, field.metadata)(
          a.exprId,
          a.qualifier)
      })

  /**
   * Returns whether a filter references columns of the files and others. parquet-mr may get the part
   * of it on the files.
   */
  def mixes(filter: Expression): Boolean = {
    val (inFiles, others) = filter.references.partition(isInFiles(_))
    inFiles.nonEmpty && others.nonEmpty
  }

  /** Returns the schema of the files for a schema of a scan. */
  def fileSchema(schema: StructType): StructType =
    toFiles(StructType(schema.filter(f => isInFiles(f.name))))

  /** Returns the columns that the files store. */
  def storedColumns: TableColumns =
    new TableColumns(StructType(table.filter(f => isInFiles(f.name))), fileSchema(table))

  /** Returns the name in the table of a column of the files. */
  def nameInTable(column: ColumnPath): String =
    ColumnPath(renamed(column.steps, toFiles(table), table)).toString

  private def isInFiles(attribute: Attribute): Boolean = attribute match {
    case a: AttributeReference => !MetadataColumn.is(a) && isInFiles(a.name)
    case _ => false
  }

  private def isInFiles(name: String): Boolean =
    table.fieldNames.contains(name) && !partitionColumns.contains(name)

  private def renamed(steps: Seq[Step], inFile: DataType, inTable: DataType): Seq[Step] =
    (steps.headOption, inFile, inTable) match {
      case (Some(field: Field), file: StructType, table: StructType)
          if file.fieldNames.contains(field.name) =>
        val index = file.fieldIndex(field.name)
        Field(table(index).name) +: renamed(
          steps.tail,
          file(index).dataType,
          table(index).dataType)
      case (Some(Element), ArrayType(file, _), ArrayType(table, _)) =>
        Element +: renamed(steps.tail, file, table)
      case (Some(Key), MapType(file, _, _), MapType(table, _, _)) =>
        Key +: renamed(steps.tail, file, table)
      case (Some(Value), MapType(_, file, _), MapType(_, table, _)) =>
        Value +: renamed(steps.tail, file, table)
      case _ => steps
    }
}

private[delta] object DeltaColumns {

  /** Returns the columns of the relation of a Delta table. */
  def of(files: HadoopFsRelation): DeltaColumns = {
    val format = files.fileFormat
    val (tableSchema, fileSchema) = methodsOf(format.getClass)
    new DeltaColumns(
      tableSchema.invoke(format).asInstanceOf[StructType],
      fileSchema.invoke(format, _).asInstanceOf[StructType],
      files.partitionSchema.fieldNames.toSet)
  }

  /**
   * Returns the methods of Delta's format that give the table's schema, and the schema of the files
   * for one of the table.
   *
   * @throws NoSuchMethodException if a class has other methods
   */
  def methodsOf(format: Class[_]): (Method, Method) =
    (
      format.getMethod("referenceSchema"),
      format.getMethod("prepareSchemaForRead", classOf[StructType]))
}
