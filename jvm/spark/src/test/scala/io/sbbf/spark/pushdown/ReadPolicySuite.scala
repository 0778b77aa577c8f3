package io.sbbf.spark.pushdown

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.sources._
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate}
import io.sbbf.parquet.result.{FilePruning, FileStorage, PrunedFiles, ScanPruning}
import io.sbbf.spark.pages.PackedDeltas

/** Tests how the filters, and what planning found of the files, decide how a scan reads. */
class ReadPolicySuite extends AnyFunSuite with PushdownCases {

  /** A file as planning found it. */
  private def file(storage: FileStorage, filtersRejected: Map[String, Int] = Map.empty) =
    FilePruning(1, 1, 10L, 100L, None, Map.empty, Map.empty, filtersRejected, storage)

  private def known(
      meets: Boolean = false,
      unsafe: Option[String] = None,
      hasDeltaPages: Boolean = false) = {
    val columns = unsafe.map(name => ColumnPath.named(Seq(name))).toSet
    FileStorage.Known(columns, hasUnsafeColumns = columns.nonEmpty, hasDeltaPages, meets)
  }

  /** A file of which some row groups are kept. */
  private val partly = file(known()).copy(rowGroups = 2)

  private def scan(
      filters: Seq[Filter],
      files: Seq[FilePruning] = Seq(file(known())),
      stoppedEarly: Boolean = false,
      isTrimmed: Boolean = true,
      mayListOthers: Boolean = false,
      hasRuntimeFilters: Boolean = false): PlannedScan = {
    val statuses = files.indices.map(i =>
      new FileStatus(100L, false, 1, 100L, 0L, new Path(s"/part-$i.parquet")))
    val pruning =
      new ScanPruning(
        RowGroupPredicate.Unknown(""),
        statuses,
        PrunedFiles(files.toIndexedSeq, stoppedEarly),
        nanos = 0)
    PlannedScan(Some(pruning), guard(filters), isTrimmed, mayListOthers, hasRuntimeFilters)
  }

  private val safe = EqualTo("id", 1L)
  private val needsInt8 = EqualTo("b", 1.toByte)

  test("one decision sets read options, filters by file, and readers without filters.") {
    val all = ReadPolicy.NoParquetFilters
    val (bloom, none) = (ReadPolicy.NoBloom, Map.empty[String, String])
    val lookup = Seq(safe)
    // why; what planning found; read options; whether some files are read without filters
    val table = Seq[(String, PlannedScan, Map[String, String], Boolean)](
      ("planning probed every filter", scan(lookup), bloom, false),
      ("tasks know more than planning", scan(lookup, hasRuntimeFilters = true), misread, true),
      ("a sample stopped planning", scan(lookup, stoppedEarly = true), bloom, true),
      (
        "planning rejected a filter",
        scan(lookup, Seq(file(known(), Map("no space" -> 1))), hasRuntimeFilters = true),
        bloom,
        true),
      ("the listing may change", scan(lookup, mayListOthers = true), bloom, true),
      ("tasks read what planning kept", scan(lookup, Seq(partly)), bloom, false),
      ("tasks read more", scan(lookup, Seq(partly), isTrimmed = false), misread, false),
      ("tasks could read no less", scan(lookup, isTrimmed = false), bloom, false),
      (
        "tasks read more, of a file that planning did not read",
        scan(lookup, Seq(partly, file(FileStorage.Unread)), isTrimmed = false),
        bloom,
        false),
      (
        "tasks read more, and probe others",
        scan(Nil, Seq(partly), isTrimmed = false),
        bloom,
        true),
      (
        "tasks read more, with a rejected filter",
        scan(lookup, Seq(partly, file(known(), Map("no space" -> 1))), isTrimmed = false),
        bloom,
        false),
      (
        "a file could not be read",
        scan(lookup, Seq(file(FileStorage.Unreadable))),
        all ++ bloom,
        true),
      (
        "pages of a file are skipped wrongly",
        scan(lookup, Seq(file(known(hasDeltaPages = true)))),
        if (PackedDeltas.areSkippedCorrectly) bloom else all ++ bloom,
        !PackedDeltas.areSkippedCorrectly),
      ("planning checked other filters", scan(Nil), bloom, true)
    )
    for ((why, planned, options, isUnfiltered) <- table) {
      val policy = guard(lookup).decide(planned, isSafe = true)
      assert(policy.options == options, why)
      assert(policy.needsUnfilteredRead == isUnfiltered, why)
      assert(policy.anyFile == lookup && policy.asDeclared == lookup, why)
      // a file that is listed later may misstate any column
      assert(policy.safeColumns == (if (planned.mayListOthers) Nil else lookup), why)
      val unsafe = guard(lookup).decide(planned, isSafe = false)
      val isOff = planned.disablesTaskBloom(guard(lookup))
      assert(unsafe.options == (if (isOff) bloom else none), why)
      assert(unsafe.anyFile == lookup && !unsafe.needsUnfilteredRead, why)
    }
  }

  test("tasks probe filters where they read what planning refuted, if all of these are valid.") {
    val lookup = Seq(safe)
    def probes(planned: PlannedScan) = !planned.disablesTaskBloom(guard(lookup))
    assert(probes(scan(lookup, Seq(partly), isTrimmed = false)))
    assert(!probes(scan(lookup, Seq(partly))) && !probes(scan(lookup, isTrimmed = false)))
    assert(!probes(scan(Nil, Seq(partly), isTrimmed = false)), "planning checked others")
    val rejected = file(known(), Map("no space" -> 1))
    assert(!probes(scan(lookup, Seq(partly, rejected), isTrimmed = false)))
  }

  test("files are read without the filters on columns that a file of the scan misstates.") {
    val (id, text) = (EqualTo("id", 1L), EqualTo("text", "a"))
    val filters = Seq(id, text)
    val files = Seq(file(known()), file(known(unsafe = Some("id"))))
    val policy = guard(filters).decide(scan(filters, files), isSafe = true)
    assert(policy.anyFile == filters && policy.safeColumns == Seq(text) && policy.differsByFile)
    assert(policy.needsUnfilteredRead && policy.options.size == 5)
    val catalog = guard(filters).decide(scan(filters, files, mayListOthers = true), isSafe = true)
    assert(catalog.safeColumns.isEmpty)
    // planning did not check `text`, and a file misstates something
    val later = guard(filters).decide(scan(Seq(id), files), isSafe = true)
    assert(later.anyFile == Seq(id) && later.safeColumns.isEmpty)
    val sound = guard(filters).decide(scan(Seq(id)), isSafe = true)
    assert(sound.anyFile == filters)
  }

  test("files are read with more filters where planning checked how they store the columns.") {
    val filters = Seq(needsInt8)
    val policy = guard(filters).decide(scan(filters), isSafe = true)
    assert(policy.anyFile.isEmpty && policy.asDeclared == filters && policy.differsByFile)
    val later = guard(filters).decide(scan(Nil), isSafe = true)
    assert(later.asDeclared.isEmpty, "pushed after planning")
  }

  test("a file that was not read is read like the worst of the others.") {
    import PushdownLevel._
    val skipped = if (PackedDeltas.areSkippedCorrectly) AnyFile else Nothing
    // storage of a file; its level; the level of an unread file beside it
    val table = Seq(
      (known(meets = true), AsDeclared, AnyFile),
      (known(), AnyFile, AnyFile),
      (known(meets = true, Some("id")), SafeColumns, Nothing),
      (FileStorage.Unreadable, Nothing, Nothing),
      (known(hasDeltaPages = true), skipped, skipped)
    )
    for ((storage, level, unread) <- table) {
      val files = Seq(file(storage), file(FileStorage.Unread))
      val levelOf = PlannedScan.levels(scan(Seq(safe), files).pruning.get)
      assert(files.map(levelOf) == Seq(level, unread), storage)
    }
  }

  /** What is disabled for a lookup whose filters planning did not probe. */
  private lazy val misread: Map[String, String] =
    if (PushdownGuard.misreadsFilters) ReadPolicy.NoBloom else Map.empty

  private def options(filters: Filter*): Map[String, String] =
    guard(filters).decide(scan(filters, hasRuntimeFilters = true), isSafe = true).options

  test(
    "parquet-mr evaluates all that loses no row as it is pushed, bloom filters of 1.14 and 1.15 aside.") {
    assert(options(EqualTo("id", 1L)) == misread)
    assert(options(GreaterThan("id", 1L), IsNotNull("id")).isEmpty)
    assert(PushdownGuard.misreadsFilters == org.apache.spark.SPARK_VERSION.startsWith("4.0"))
  }

  test("all checks are off for one filter that parquet-mr would evaluate otherwise.") {
    for ((_, (filter, any, _)) <- cases) {
      val zoned = PushedFilterRewriter.withoutZone(filter)
      val isUnchanged = any.map(_.toString).contains(zoned.toString) &&
        !PushedFilterRewriter.values(zoned).exists(PushedValue.isOld)
      assert((options(safe, filter).size == 5) == !isUnchanged, filter)
      assert(
        guard(Seq(safe, filter)).withholdsNothing == (isUnchanged && misread.isEmpty),
        filter)
    }
  }

  test("all checks are off where Spark may push more than is known.") {
    val more =
      PushdownGuard(
        Seq(safe),
        plain,
        byFieldId = false,
        caseSensitive = false,
        mayPushMore = true)
    assert(!more.withholdsNothing && guard(Seq(IsNotNull("id"))).withholdsNothing)
  }

  test("pages are not left out where Spark reads row by row.") {
    val byRow =
      PushdownGuard(Seq(safe), plain, byFieldId = false, caseSensitive = false, readsRows = true)
    val policy = byRow.decide(scan(Seq(safe)), isSafe = true)
    assert(policy.disablesColumnIndex && policy.anyFile == Seq(safe) && !byRow.withholdsNothing)
    assert(policy.options == ReadPolicy.NoColumnIndex ++ ReadPolicy.NoBloom)
    assert(!byRow.decide(scan(Seq(safe)), isSafe = false).disablesColumnIndex)
  }

  test("what was found of files covers filters on the same columns only.") {
    def covers(planned: PushdownGuard, reading: PushdownGuard) =
      reading.requirements.areCoveredBy(planned.requirements)
    val (bytes, reals) = (guard(Seq(EqualTo("b", 1.toByte))), guard(Seq(GreaterThan("f", 1.0))))
    val both = guard(Seq(EqualTo("b", 1.toByte), GreaterThan("f", 1.0)))
    assert(covers(both, bytes) && covers(both, reals) && covers(bytes, bytes))
    assert(!covers(bytes, both) && !covers(bytes, reals))
    assert(covers(guard(Nil), guard(Seq(EqualTo("id", 1L)))))
    val nulls = guard(Seq(Not(EqualNullSafe("text", "a"))))
    assert(covers(nulls, nulls) && !covers(both, nulls))
    assert(covers(guard(Nil), guard(Seq(EqualNullSafe("text", "a")))))
  }
}
