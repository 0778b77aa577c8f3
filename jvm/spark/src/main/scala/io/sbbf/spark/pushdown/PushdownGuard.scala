package io.sbbf.spark.pushdown

import org.apache.parquet.Version
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.prune.StorageRequirements
import io.sbbf.parquet.statistics.DeclaredType
import io.sbbf.spark.util.FieldId

/**
 * Decides which of the filters that Spark pushes to a Parquet scan parquet-mr may check, so that it drops no row that
 * Spark would return. Spark evaluates every filter again above the scan, so a filter that is withheld only makes it
 * read more.
 *
 * parquet-mr compares what a file stores; Spark compares what it reads. They differ, and parquet-mr loses rows:
 *
 *   - FLOAT and DOUBLE: parquet-mr has -0.0 below 0.0, and statistics may leave out NaN, which Spark has above all
 *     other values. Predicates are rewritten to match both zeros. `>`, `>=` and NOT, which NaN passes, need a file whose
 *     statistics count NaN, or another conjunct that NaN fails.
 *   - TINYINT and SMALLINT: Spark cuts them out of any INT32. They need a file that declares them.
 *   - DECIMAL: parquet-mr cuts literals to the width of the column; Spark's row-based reader returns NULL for what does not
 *     fit the table's precision. Literals of 32 bits and more, and IS NULL, need a file of the same precision and scale.
 *   - DATE and TIMESTAMP: old values need a file that Spark does not take for one of the Julian calendar. `<` a fraction
 *     of a millisecond becomes `<=`, and NOT of one is withheld, unless the file stores microseconds.
 *   - Lists: NULLs are left out, as parquet-mr looks at the first value alone to see whether it can compare the list.
 *     NOT of a list with BIGINTs beyond 32 bits needs an INT64 column.
 *   - Text that is not UTF-8, and columns read by field id, which parquet-mr finds by name: nothing is pushed.
 *
 * @param filters those that Spark pushes
 * @param columns those of the filters, as filters spell them, with the types at which more may be pushed to files that store
 *   them as declared
 * @param requirements what a file must meet for that
 * @param refusesAll whether parquet-mr would compare other columns than Spark reads
 * @param mayPushMore whether Spark may push filters that are not among `filters`
 */
private[spark] final class PushdownGuard private (
    private[pushdown] val filters: Seq[Filter],
    columns: Map[String, Option[DeclaredType]],
    val requirements: StorageRequirements,
    refusesAll: Boolean,
    mayPushMore: Boolean) {
  import PushdownGuard._

  /**
   * Decides what parquet-mr may evaluate of the filters in the files of a scan.
   *
   * @param isSafe whether to withhold what loses rows; without it only bloom filters that planning settled are disabled
   */
  def decide(scan: PlannedScan, isSafe: Boolean): ReadPolicy = {
    val settled = if (scan.disablesTaskBloom) ReadPolicy.NoBloom else Map.empty[String, String]
    val disablesBloom = scan.mayListOthers || scan.disablesTaskBloom
    if (isSafe) {
      val anyFile = pushed(PushdownLevel.AnyFile)
      val isChecked = requirements.areCoveredBy(scan.guard.requirements)
      ReadPolicy(
        options = options(scan.mayListOthers || scan.hasUnfilteredFiles) ++ settled,
        anyFile = anyFile,
        // a filter pushed after planning may need columns whose storage planning did not check
        asDeclared = if (isChecked) pushed(PushdownLevel.AsDeclared) else anyFile,
        disablesBloom = disablesBloom || misreadsFilters,
        needsUnfilteredRead = scan.mayReadUnchecked(this) || scan.hasUnfilteredFiles
      )
    } else ReadPolicy(settled, filters, filters, disablesBloom, needsUnfilteredRead = false)
  }

  /** Whether every file can be read with the filters as Spark pushes them. */
  def withholdsNothing: Boolean = options(hasUnfilteredFiles = false).isEmpty

  /** Returns the filters, some of them rewritten, that parquet-mr may evaluate in a file of this level. */
  def pushed(level: PushdownLevel): Seq[Filter] = rewritten(zoned, level)

  private lazy val zoned: Seq[Filter] = filters.map(PushedFilterRewriter.withoutZone)

  private def rewritten(zoned: Seq[Filter], level: PushdownLevel): Seq[Filter] = level match {
    case _ if refusesAll => Nil
    case PushdownLevel.Nothing => Nil
    case PushdownLevel.AnyFile =>
      new PushedFilterRewriter(columns, isDeclared = _ => false, countsNulls = _ => false)
        .all(zoned)
    case PushdownLevel.AsDeclared =>
      new PushedFilterRewriter(columns, isDeclared, countsNulls).all(zoned)
  }

  private def isDeclared(column: String): Boolean =
    requirements.declaredTypes.contains(pathOf(column))

  private def countsNulls(column: String): Boolean = requirements.nullCounts(pathOf(column))

  /** Whether it was made for all of `others`. */
  private[pushdown] def isFor(others: Seq[Filter]): Boolean = others.forall(filters.contains)

  /** Returns the read options that disable what parquet-mr must not evaluate, where it gets the filters as Spark pushes them. */
  private def options(hasUnfilteredFiles: Boolean): Map[String, String] = {
    val safe = pushed(PushdownLevel.AnyFile)
    val isUnchanged = safe.corresponds(zoned)(_ eq _)
    // executors in other zones may read another day or instant
    val hasOld = zoned.exists(PushedFilterRewriter.values(_).exists(PushedValue.isOld))
    if (hasUnfilteredFiles || mayPushMore || refusesAll || !isUnchanged || hasOld)
      ReadPolicy.NoParquetFilters
    else if (misreadsFilters && filters.exists(usesBloom)) ReadPolicy.NoBloom
    else Map.empty
  }
}

private[spark] object PushdownGuard {

  /** Whether parquet-mr takes a short read of a filter for the whole of it, as it did until 1.16 (GH-3249). */
  val misreadsFilters: Boolean = {
    // by reflection, for the compiler would put in the version that it was compiled against
    val version = classOf[Version].getField("VERSION_NUMBER").get(null).toString
    Seq("1.14.", "1.15.").exists(version.startsWith)
  }

  /**
   * @param filters that Spark pushes to the scan; of other columns only what any file allows is allowed
   * @param schema of the files' columns
   * @param byFieldId whether the session reads Parquet columns by field id
   * @param mayPushMore whether Spark may push filters that are not among these
   */
  def apply(
      filters: Seq[Filter],
      schema: StructType,
      byFieldId: Boolean,
      caseSensitive: Boolean,
      mayPushMore: Boolean = false): PushdownGuard = {
    val columns = (for {
      name <- filters.flatMap(_.references).distinct
      found <- typeOf(UnresolvedAttribute.parseAttributeName(name), schema, caseSensitive)
    } yield name -> declaredType(found)).toMap
    def rewriter(isDeclared: String => Boolean) =
      new PushedFilterRewriter(columns, isDeclared, countsNulls = _ => true)
    val always = rewriter(_ => false)
    val ifDeclared = rewriter(columns.get(_).exists(_.isDefined))
    val needed = for {
      filter <- filters.map(PushedFilterRewriter.withoutZone)
      if always.all(Seq(filter)) != ifDeclared.all(Seq(filter))
      name <- filter.references
      declared <- columns.get(name).flatten
    } yield (pathOf(name), declared, leastType(declared, filter))
    // where filters need different things of a column, all
    val most = needed.groupBy(_._1).map { case (path, of) =>
      path -> (if (of.map(_._3).distinct.size == 1) of.head._3 else of.head._2)
    }
    val nullsCounted = filters.flatMap(PushedFilterRewriter.passedByNull(_)).map(pathOf).toSet
    new PushdownGuard(
      filters,
      columns,
      StorageRequirements(most, nullsCounted),
      refusesAll = byFieldId && hasFieldIds(schema),
      mayPushMore)
  }

  /** What a file's column must at least be for the filter to be checked as if it were as declared. */
  private def leastType(declared: DeclaredType, filter: Filter): DeclaredType =
    (declared, filter) match {
      case (DeclaredType.Decimal(precision, scale), IsNull(_)) =>
        DeclaredType.DecimalWithin(precision, scale)
      case (_: DeclaredType.Timestamp, _) =>
        val values = PushedFilterRewriter.values(filter)
        DeclaredType.Timestamp(
          inMicros = values.exists(PushedValue.isSubMillis),
          isGregorian = !values.forall(PushedValue.isSafe))
      case _ => declared
    }

  private def pathOf(column: String): ColumnPath =
    ColumnPath.named(UnresolvedAttribute.parseAttributeName(column))

  private def typeOf(
      name: Seq[String],
      dataType: DataType,
      caseSensitive: Boolean): Option[DataType] = dataType match {
    case _ if name.isEmpty => Some(dataType)
    case struct: StructType =>
      struct.fields.filter { f =>
        if (caseSensitive) f.name == name.head else f.name.equalsIgnoreCase(name.head)
      } match {
        case Array(field) => typeOf(name.tail, field.dataType, caseSensitive)
        case _ => None
      }
    case _ => None
  }

  private def declaredType(dataType: DataType): Option[DeclaredType] = dataType match {
    case ByteType => Some(DeclaredType.Integer(8))
    case ShortType => Some(DeclaredType.Integer(16))
    case LongType => Some(DeclaredType.Integer(64))
    case FloatType => Some(DeclaredType.Floating(32))
    case DoubleType => Some(DeclaredType.Floating(64))
    case decimal: DecimalType => Some(DeclaredType.Decimal(decimal.precision, decimal.scale))
    case DateType => Some(DeclaredType.Date)
    case TimestampType => Some(DeclaredType.Timestamp(inMicros = true, isGregorian = true))
    case _ => None
  }

  private def hasFieldIds(dataType: DataType): Boolean = dataType match {
    case StructType(fields) =>
      fields.exists(f => f.metadata.contains(FieldId.Key) || hasFieldIds(f.dataType))
    case ArrayType(element, _) => hasFieldIds(element)
    case MapType(key, value, _) => hasFieldIds(key) || hasFieldIds(value)
    case _ => false
  }

  /** Whether parquet-mr looks for the filter's values in bloom filters. */
  private def usesBloom(filter: Filter): Boolean = filter match {
    case And(left, right) => usesBloom(left) || usesBloom(right)
    case Or(left, right) => usesBloom(left) || usesBloom(right)
    case Not(child) => usesBloom(child) // parquet-mr drives NOT down to the comparisons
    case EqualTo(_, _) | EqualNullSafe(_, _) | In(_, _) => true
    case _ => false
  }
}
