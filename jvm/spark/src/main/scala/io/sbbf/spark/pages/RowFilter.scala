package io.sbbf.spark.pages

import scala.collection.mutable.ArrayBuffer
import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.execution.ScalarSubquery
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import io.sbbf.spark.column.{MetadataColumn, UserFunctions}

/**
 * The part of a scan's filter that a task evaluates on few columns, before it reads the others. A row
 * for which it is not TRUE does not pass the scan's filter.
 *
 * @param schema the columns of the files that it reads
 * @param isLookup whether it compares these columns with few values
 * @param condition the part, over a row of `schema`, the values of `partitions` and constants
 * @param wanted a column and its values in rows that pass, if there are few
 * @param constants the numbers that the part compares with columns. Code with numbers in it would be
 *   compiled anew for each query.
 */
private[spark] final class RowFilter private (
    val schema: StructType,
    val isLookup: Boolean,
    condition: Expression,
    partitions: StructType,
    wanted: Option[RowFilter.Wanted],
    constants: Seq[RowFilter.Constant])
    extends Serializable {

  /**
   * Returns those of the filters that Spark pushes to Parquet which need no other column: parquet-mr
   * takes the values of a column that is not read for NULL.
   */
  def pushed(filters: Seq[Filter]): Seq[Filter] = {
    def isRead(name: String) =
      Try(CatalystSqlParser.parseMultipartIdentifier(name)).toOption
        .flatMap(_.headOption)
        .exists(schema.fieldNames.contains)
    filters.filter(_.references.forall(isRead))
  }

  /**
   * Returns whether a row of a batch passes the filter, in one thread. The function may throw what
   * the whole filter does not.
   */
  def predicate(): ColumnarBatch => Int => Boolean = {
    val compiled = Predicate.create(condition)
    def types =
      (schema ++ partitions).map(_.dataType).toArray ++ constants.map(_.dataType)
    val isInterpreted =
      compiled.isInstanceOf[InterpretedPredicate] || condition.exists(
        _.isInstanceOf[CodegenFallback])
    // interpreted expressions take a NULL inside an array, map or struct of a columnar row for a value
    val passes: InternalRow => Boolean =
      if (isInterpreted) UnsafeProjection.create(types).andThen(compiled.eval) else compiled.eval
    batch => {
      val columns = Array.tabulate(batch.numCols)(batch.column) ++ constants.map(_.vector)
      val all = new ColumnarBatch(columns, batch.numRows)
      wanted match {
        case Some(RowFilter.Wanted(column, values)) =>
          // one class of vectors, so the compiler inlines what it reads
          val vector = batch.column(column)
          val hasNulls = vector.hasNull
          row =>
            !(hasNulls && vector.isNullAt(row)) && isIn(vector.getLong(row), values) &&
              passes(all.getRow(row))
        case None => row => passes(all.getRow(row))
      }
    }
  }

  private def isIn(value: Long, values: Array[Long]): Boolean = {
    var i = 0
    while (i < values.length && values(i) != value) i += 1
    i < values.length
  }
}

private[spark] object RowFilter {

  /** A number, date or timestamp of a filter, as one more column of the batches that it is evaluated on. */
  private final case class Constant(value: Any, dataType: DataType) {
    @transient lazy val vector: ColumnVector = {
      val vector = new ConstantColumnVector(1, dataType)
      ColumnVectorUtils.populate(vector, InternalRow(value), 0)
      vector
    }
  }

  /**
   * Returns the part of a filter that is worth a first read of its columns: lookups if there are any,
   * as they leave the fewest rows. Returns None if the scan reads no other column.
   *
   * @param filters the conjuncts of the filter, whose columns have the names of the schemas
   * @param required the columns that the scan reads from files
   * @param data all columns of the files
   * @param partitions those whose values come from folders, also if files have them as well
   */
  def of(
      filters: Seq[Expression],
      required: StructType,
      data: StructType,
      partitions: StructType): Option[RowFilter] = {
    val ofFiles = data.filterNot(f => partitions.exists(_.name.equalsIgnoreCase(f.name)))
    val names = ofFiles.map(_.name).toSet
    def columnsOf(part: Expression) = part.references.map(_.name).toSet.intersect(names)
    val usable = filters
      .map(withResults)
      .filter(part => isUsable(part, names ++ partitions.fieldNames) && columnsOf(part).nonEmpty)
    val (lookups, tests) = usable.partition(isLookup)
    val columns =
      (if (lookups.nonEmpty) lookups else tests.filterNot(passesMost)).flatMap(columnsOf).toSet
    val parts = usable.filter(columnsOf(_).subsetOf(columns))
    val types = parts.flatMap(_.references.map(a => a.name -> a.dataType)).toMap
    // fields of a struct are found by their numbers in its type
    def areOfOneType = parts.forall(_.references.forall(a => types(a.name) == a.dataType))
    if (columns.isEmpty || required.fieldNames.forall(columns) || !areOfOneType) None
    else {
      val read = ofFiles.filter(f => columns(f.name)).map(f => f.copy(dataType = types(f.name)))
      Some(bound(parts, StructType(read), lookups.nonEmpty, partitions))
    }
  }

  /** Returns the filter of some parts over a row of columns, partition values and constants. */
  private def bound(
      parts: Seq[Expression],
      columns: StructType,
      isLookup: Boolean,
      partitions: StructType): RowFilter = {
    val places = columns.fieldNames ++ partitions.fieldNames
    val constants = ArrayBuffer.empty[Constant]
    def constant(number: Expression): Expression = number match {
      case Literal(value, _: NumericType | DateType | TimestampType) if value != null =>
        constants += Constant(value, number.dataType)
        BoundReference(places.size + constants.size - 1, number.dataType, nullable = false)
      case other => other
    }
    val condition = parts.reduce(And(_, _)).transform {
      case a: AttributeReference =>
        BoundReference(places.indexOf(a.name), a.dataType, nullable = true)
      case comparison: BinaryComparison => comparison.mapChildren(constant)
      case in: In => in.mapChildren(constant)
    }
    val wanted = parts.flatMap(wantedBy(_, columns)).headOption
    new RowFilter(columns, isLookup, condition, partitions, wanted, constants.toSeq)
  }

  /** Replaces subqueries that have run by their results. */
  private def withResults(filter: Expression): Expression = filter.transform {
    case subquery: ScalarSubquery =>
      Try(Literal(subquery.eval(), subquery.dataType)).getOrElse(subquery)
  }

  /** Returns whether tasks can evaluate a part twice, with no effect but its result. */
  private def isUsable(part: Expression, names: Set[String]): Boolean =
    part.deterministic && !UserFunctions.areIn(part) && !part.exists {
      case _: PlanExpression[_] => true
      // the table may have a column with the name of a part of `_metadata`
      case column: AttributeReference => !names(column.name) || MetadataColumn.is(column)
      case _ => false
    }

  /** Returns whether a part compares a column with few values. */
  private def isLookup(part: Expression): Boolean = part match {
    case EqualTo(a, b) => a.foldable != b.foldable
    case EqualNullSafe(a, b) => a.foldable != b.foldable
    case In(_, values) => values.forall(_.foldable)
    case _: InSet => true
    case Or(a, b) => isLookup(a) && isLookup(b)
    case And(a, b) => isLookup(a) || isLookup(b)
    case _ => false
  }

  /** The values of a BIGINT column in rows that pass. */
  private[pages] final case class Wanted(column: Int, values: Array[Long])

  /** Returns the values with which a part compares a column, if they are few. */
  private def wantedBy(part: Expression, columns: StructType): Option[Wanted] = {
    def wantedIn(column: Expression, values: Seq[Expression]) = (column, values) match {
      case (a: AttributeReference, values)
          if a.dataType == LongType && columns.fieldNames.contains(a.name) &&
            values.size <= MostWanted =>
        val numbers = values.collect { case Literal(value: Long, LongType) => value }
        if (numbers.size < values.size) None
        else Some(Wanted(columns.fieldIndex(a.name), numbers.toArray))
      case _ => None
    }
    part match {
      case EqualTo(a: AttributeReference, value) => wantedIn(a, Seq(value))
      case EqualTo(value, a: AttributeReference) => wantedIn(a, Seq(value))
      case In(a, values) => wantedIn(a, values)
      case _ => None
    }
  }

  /** More values are found faster by the code that Spark compiles. */
  private final val MostWanted = 16

  private def passesMost(part: Expression): Boolean = part.isInstanceOf[IsNotNull]
}
