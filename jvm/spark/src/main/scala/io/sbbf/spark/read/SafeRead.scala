package io.sbbf.spark.read

import org.apache.parquet.Version
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types._

import io.sbbf.spark.FieldId

/**
 * Which predicates must not reach stock Parquet's own checks, for those would lose rows. Spark evaluates every
 * predicate again above the scan, so handing one down less only reads more.
 *
 *   - Of floating-point columns they compare raw bits or Java's total order, where Spark has 0.0 = -0.0 and NaN
 *     above all: a filter or a dictionary with -0.0 loses `= 0.0` and `>= 0.0`; statistics, which leave NaN out,
 *     lose `> x` and `<> x`.
 *   - They find columns by name, also where the session reads them by field id.
 *   - parquet-java 1.14 and 1.15 ([[misreadsFilters]]).
 */
private[spark] object SafeRead {

  /** The Hadoop keys of every level at which parquet-mr drops row groups, pages or rows. */
  private val LevelsOff: Map[String, String] =
    Seq("stats", "dictionary", "bloom", "columnindex", "record-level")
      .map(l => s"parquet.filter.$l.enabled" -> "false")
      .toMap

  val FiltersOff: Map[String, String] = Map("parquet.filter.bloom.enabled" -> "false")

  /** Whether stock takes a short read of a filter for the whole of it, as it did until 1.16 (GH-3249). */
  val misreadsFilters: Boolean = {
    // by reflection, for the compiler would put in the version that it was compiled against
    val version = classOf[Version].getField("VERSION_NUMBER").get(null).toString
    Seq("1.14.", "1.15.").exists(version.startsWith)
  }

  /**
   * The read options that switch off what `filters` must not meet; empty if stock may answer them.
   *
   * @param filters that stock is handed
   * @param schema of the files' columns
   * @param byFieldId whether the session reads Parquet columns by field id
   */
  def options(filters: Seq[Filter], schema: StructType, byFieldId: Boolean): Map[String, String] =
    if (byFieldId && hasFieldIds(schema) || !filters.forall(isSafe)) LevelsOff
    else if (misreadsFilters && filters.exists(asksFilter)) FiltersOff
    else Map.empty

  /** Of the filters on columns of `schema`, those that stock may be handed: it evaluates them as Spark does. */
  def allowed(filters: Seq[Filter], schema: StructType, byFieldId: Boolean): Seq[Filter] =
    if (byFieldId && hasFieldIds(schema)) Nil else filters.filter(isSafe)

  /** Whether stock looks for the filter's values in bloom filters. */
  private def asksFilter(filter: Filter): Boolean = filter match {
    case And(left, right) => asksFilter(left) || asksFilter(right)
    case Or(left, right) => asksFilter(left) || asksFilter(right)
    case Not(child) => asksFilter(child) // parquet-mr drives NOT down to the comparisons
    case EqualTo(_, _) | EqualNullSafe(_, _) | In(_, _) => true
    case _ => false
  }

  private def hasFieldIds(dataType: DataType): Boolean = dataType match {
    case StructType(fields) =>
      fields.exists(f => f.metadata.contains(FieldId.Key) || hasFieldIds(f.dataType))
    case ArrayType(element, _) => hasFieldIds(element)
    case MapType(key, value, _) => hasFieldIds(key) || hasFieldIds(value)
    case _ => false
  }

  private def isSafe(filter: Filter): Boolean = filter match {
    case And(left, right) => isSafe(left) && isSafe(right)
    case Or(left, right) => isSafe(left) && isSafe(right)
    case EqualTo(_, value) => isOrdinary(value)
    case EqualNullSafe(_, value) => isOrdinary(value)
    case In(_, values) => values.forall(isOrdinary)
    case LessThan(_, value) => isOrdinary(value)
    case LessThanOrEqual(_, value) => isOrdinary(value)
    case other => !mentionsFloat(other)
  }

  /** Neither a zero, of which there are two, nor NaN. */
  private def isOrdinary(value: Any): Boolean = value match {
    case f: Float => f != 0.0f && !f.isNaN
    case d: Double => d != 0.0 && !d.isNaN
    case _ => true
  }

  private def mentionsFloat(filter: Filter): Boolean = filter match {
    case Not(child) => mentionsFloat(child)
    case And(left, right) => mentionsFloat(left) || mentionsFloat(right)
    case Or(left, right) => mentionsFloat(left) || mentionsFloat(right)
    case In(_, values) => values.exists(isFloat)
    case EqualTo(_, value) => isFloat(value)
    case EqualNullSafe(_, value) => isFloat(value)
    case LessThan(_, value) => isFloat(value)
    case LessThanOrEqual(_, value) => isFloat(value)
    case GreaterThan(_, value) => isFloat(value)
    case GreaterThanOrEqual(_, value) => isFloat(value)
    case _ => false
  }

  private def isFloat(value: Any): Boolean =
    value.isInstanceOf[Float] || value.isInstanceOf[Double]
}
