package io.sbbf.spark.pushdown

import org.apache.parquet.Version
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.sources._
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.result.StorageRequirements
import io.sbbf.parquet.statistics.DeclaredType
import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.util.FieldId

/**
 * Decides which filters that Spark pushes to a Parquet scan parquet-mr may evaluate, so that it
 * drops no row that Spark would return. Spark evaluates every filter again above the scan. A
 * withheld filter therefore only makes Spark read more.
 *
 * parquet-mr compares what a file stores; Spark compares what it reads. Where they differ,
 * parquet-mr loses rows:
 *
 *   - FLOAT and DOUBLE: parquet-mr orders -0.0 below 0.0, so rewritten predicates match both
 *     zeros. Statistics may leave out NaN, which Spark orders above all other values. NaN passes
 *     `>`, `>=` and NOT. They need a file whose statistics count NaN, or another conjunct that
 *     NaN fails.
 *   - TINYINT and SMALLINT: Spark cuts them out of any INT32. They need a file that declares
 *     them.
 *   - DECIMAL: parquet-mr cuts literals to the width of the column. Spark's row-based reader
 *     returns NULL for values that do not fit the table's precision. Literals of 32 bits and
 *     more, and IS NULL, need a file of the same precision and scale.
 *   - DATE and TIMESTAMP: old values need a file that Spark does not read as one of the Julian
 *     calendar. Fractions of a millisecond need a file that stores microseconds. Otherwise `<`
 *     one becomes `<=`, and NOT of one is withheld.
 *   - Lists: NULLs are left out, as parquet-mr checks only the first value to decide whether it
 *     can compare the list. NOT of a list with BIGINTs beyond 32 bits needs an INT64 column.
 *   - Columns with the same dotted path, as `a.b` is a field of `a` and a column: parquet-mr confuses
 *     their dictionaries and filters.
 *   - Columns that a file misstates: see [[io.sbbf.parquet.footer.FileFooter.unsafeColumns]].
 *   - Text that is not UTF-8: nothing is pushed.
 *   - Columns read by field id: nothing is pushed, as parquet-mr finds columns by name.
 *   - Pages in an encoding of deltas: nothing is pushed where Spark's reader skips their values wrongly;
 *     see [[io.sbbf.spark.pages.PackedDeltas]].
 *   - Files that Spark reads row by row: the column index is off. Where it leaves the last row of a row
 *     group alone, parquet-mr returns the value of an earlier row (apache/parquet-java#3747). Nothing is
 *     pushed for a column with a default: if a file lacks a column before it, Spark's row-based reader
 *     returns the default for every value (findings/spark-default-over-values.sh).
 *
 * @param filters the filters that Spark pushes
 * @param columns the columns of the filters, as filters spell them, with the types that allow
 *   more filters for files that store the columns as declared
 * @param requirements the requirements that a file must meet for those filters
 * @param misread those of the columns of which parquet-mr or Spark reads other values than the file holds
 * @param refusesAll whether parquet-mr would compare other columns than Spark reads
 * @param mayPushMore whether Spark may push filters that are not among `filters`
 * @param readsRows whether Spark reads the files row by row
 */
private[spark] final class PushdownGuard private (
    private[pushdown] val filters: Seq[Filter],
    columns: Map[String, Option[DeclaredType]],
    val requirements: StorageRequirements,
    misread: Set[String],
    refusesAll: Boolean,
    mayPushMore: Boolean,
    readsRows: Boolean) {
  import PushdownGuard._

  /**
   * Returns what parquet-mr may evaluate of the filters in the files of a scan.
   *
   * @param isSafe whether to withhold filters that lose rows. Without it, the policy only
   *   disables bloom filters that planning settled.
   */
  def decide(scan: PlannedScan, isSafe: Boolean): ReadPolicy = {
    val isSettled = scan.disablesTaskBloom(this)
    val settled = if (isSettled) ReadPolicy.NoBloom else Map.empty[String, String]
    val disablesBloom = scan.mayListOthers || isSettled
    if (isSafe) {
      // a filter pushed after planning may need columns whose storage planning did not check
      val anyFile = without(pushed(asDeclared = false), scan.isUnchecked)
      val isChecked = requirements.areCoveredBy(scan.guard.requirements)
      val hasUnsafeFiles =
        scan.hasUnfilteredFiles || requirements.columns.exists(scan.isUnsafe)
      ReadPolicy(
        options = options(hasUnsafeFiles) ++ settled,
        anyFile = anyFile,
        asDeclared = if (isChecked) pushed(asDeclared = true) else anyFile,
        // files that are listed later may misstate other columns
        safeColumns = if (scan.mayListOthers) Nil else without(anyFile, scan.isUnsafe),
        disablesBloom = disablesBloom || misreadsFilters,
        disablesColumnIndex = readsRows,
        needsUnfilteredRead = scan.mayReadUnchecked(this) || hasUnsafeFiles
      )
    } else
      ReadPolicy(
        settled,
        filters,
        filters,
        filters,
        disablesBloom,
        disablesColumnIndex = false,
        needsUnfilteredRead = false)
  }

  /** Returns whether every file can be read with the filters as Spark pushes them. */
  def withholdsNothing: Boolean = options(hasUnsafeFiles = false).isEmpty

  private lazy val zoned: Seq[Filter] = filters.map(PushedFilterRewriter.withoutZone)

  /**
   * Returns the filters, some rewritten, that parquet-mr may evaluate.
   *
   * @param asDeclared whether in files that meet the requirements, or in files of any kind
   */
  def pushed(asDeclared: Boolean): Seq[Filter] =
    if (refusesAll) Nil
    else {
      val rewriter = new PushedFilterRewriter(
        columns,
        column => asDeclared && isDeclared(column),
        column => asDeclared && countsNulls(column))
      rewriter.all(zoned).filterNot(_.references.exists(misread))
    }

  private def without(pushed: Seq[Filter], isUnsafe: ColumnPath => Boolean): Seq[Filter] =
    pushed.filterNot(_.references.exists(column => isUnsafe(pathOf(column))))

  private def isDeclared(column: String): Boolean =
    requirements.declaredTypes.contains(pathOf(column))

  private def countsNulls(column: String): Boolean = requirements.nullCounts(pathOf(column))

  /** Returns whether the guard covers all of `others`. */
  private[pushdown] def isFor(others: Seq[Filter]): Boolean = others.forall(filters.contains)

  /**
   * Returns the read options that disable what parquet-mr must not evaluate, for reads that get
   * the filters as Spark pushes them.
   */
  private def options(hasUnsafeFiles: Boolean): Map[String, String] = {
    val safe = pushed(asDeclared = false)
    val isUnchanged = safe.corresponds(zoned)(_ eq _)
    // executors in other zones may read another day or instant
    val hasOld = zoned.exists(PushedFilterRewriter.values(_).exists(PushedValue.isOld))
    if (hasUnsafeFiles || mayPushMore || refusesAll || !isUnchanged || hasOld)
      ReadPolicy.NoParquetFilters
    else {
      val bloom = misreadsFilters && filters.exists(usesBloom)
      (if (bloom) ReadPolicy.NoBloom else Map.empty[String, String]) ++
        (if (readsRows && filters.nonEmpty) ReadPolicy.NoColumnIndex else Map.empty)
    }
  }
}

private[spark] object PushdownGuard {

  /**
   * Whether parquet-mr takes a short read of a bloom filter for a complete one, as it did until
   * 1.16 (GH-3249).
   */
  val misreadsFilters: Boolean = {
    // by reflection, as the compiler would inline the version that it compiles against
    val version = classOf[Version].getField("VERSION_NUMBER").get(null).toString
    Seq("1.14.", "1.15.").exists(version.startsWith)
  }

  /**
   * Returns the guard of a scan.
   *
   * @param filters the filters that Spark pushes to the scan. For columns outside `schema`, the
   *   guard allows only what it allows for any file.
   * @param schema the schema of the files' columns
   * @param byFieldId whether the session reads Parquet columns by field id
   * @param mayPushMore whether Spark may push filters that are not among these
   * @param readsRows whether Spark reads the files row by row
   */
  def apply(
      filters: Seq[Filter],
      schema: StructType,
      byFieldId: Boolean,
      caseSensitive: Boolean,
      mayPushMore: Boolean = false,
      readsRows: Boolean = false): PushdownGuard = {
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
    // a column of which filters need different properties must be as declared
    val most = needed.groupBy(_._1).map { case (path, of) =>
      path -> (if (of.map(_._3).distinct.size == 1) of.head._3 else of.head._2)
    }
    val nullsCounted = filters.flatMap(PushedFilterRewriter.passedByNull(_)).map(pathOf).toSet
    val names = filters.flatMap(_.references).distinct
    new PushdownGuard(
      filters,
      columns,
      StorageRequirements(
        most,
        nullsCounted,
        columns = names.map(pathOf).toSet,
        probed = filters.filter(usesBloom).flatMap(_.references).map(pathOf).toSet
      ),
      misread = twinsAmong(names, schema) ++
        (if (readsRows) defaultedAmong(names, schema) else Nil),
      refusesAll = byFieldId && hasFieldIds(schema),
      mayPushMore,
      readsRows
    )
  }

  /**
   * Returns the least that a file's column must be to evaluate the filter as on the declared
   * type.
   */
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

  /** Returns the names whose column has the dotted path of another column of the table. */
  private def twinsAmong(names: Seq[String], schema: StructType): Set[String] = {
    val paths = leaves(schema).map(_.mkString("."))
    val shared = paths.diff(paths.distinct).toSet
    names.filter(n => shared(UnresolvedAttribute.parseAttributeName(n).mkString("."))).toSet
  }

  /** Returns the names in a column with a default, or one of another case. */
  private def defaultedAmong(names: Seq[String], schema: StructType): Seq[String] = {
    val roots = TableColumns.defaulted(schema).fieldNames
    names.filter(n =>
      roots.exists(_.equalsIgnoreCase(UnresolvedAttribute.parseAttributeName(n).head)))
  }

  private def leaves(dataType: DataType): Seq[Seq[String]] = dataType match {
    case struct: StructType =>
      struct.fields.toSeq.flatMap(f => leaves(f.dataType).map(f.name +: _))
    case _ => Seq(Nil)
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

  /** Returns whether parquet-mr looks for the filter's values in bloom filters. */
  private def usesBloom(filter: Filter): Boolean = filter match {
    case And(left, right) => usesBloom(left) || usesBloom(right)
    case Or(left, right) => usesBloom(left) || usesBloom(right)
    case Not(child) => usesBloom(child) // parquet-mr drives NOT down to the comparisons
    case EqualTo(_, _) | EqualNullSafe(_, _) | In(_, _) => true
    case _ => false
  }
}
