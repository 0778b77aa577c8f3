package io.sbbf.parquet.result

import scala.util.Random

import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.model.Evidence
import io.sbbf.parquet.testing.TestFiles

class ScanPruningSuite extends AnyFunSuite {

  private def selection(files: Int): ScanPruning = {
    val outcomes = (0 until files).map { i =>
      FilePruning(i + 1, 1, 10L, 100L, None, Map(Evidence.Bloom -> i), Map.empty)
    }
    val statuses = (0 until files).map(i =>
      new FileStatus(100L, false, 1, 100L, 0L, new Path(s"/lake/part-$i.parquet")))
    new ScanPruning(RowGroupPredicate.True, statuses, PrunedFiles(outcomes), 0L)
  }

  test("file ranges hold all files in their order, and there are at most as many as allowed.") {
    for (files <- 0 to 120; most <- Seq(1, 2, 7, 50)) {
      val found = selection(files)
      val runs = found.ranges(most).toSeq
      assert(runs.size <= most && runs.flatMap(_.outcomes) == found.outcomes)
      assert(runs.dropRight(1).map(_.outcomes.size).distinct.size <= 1)
      assert(runs.size == files || files > most)
    }
  }

  test("a file range names its first and last file and sums the evidence of its files.") {
    val runs = selection(5).ranges(2).toSeq
    assert(
      runs.map(r => (r.first, r.last)) == Seq(
        ("part-0.parquet", "part-2.parquet"),
        ("part-3.parquet", "part-4.parquet")))
    assert(runs.map(_.refutedBy) == Seq(Map(Evidence.Bloom -> 3L), Map(Evidence.Bloom -> 7L)))
  }

  test("sums over runs of shared outcomes equal sums over the files.") {
    val random = new Random(TestFiles.seed())
    for (_ <- 1 to 500) {
      val kinds = IndexedSeq.fill(1 + random.nextInt(4)) {
        val evidence = Seq(Evidence.Bloom, Evidence.Index).filter(_ => random.nextBoolean())
        FilePruning(
          random.nextInt(5),
          random.nextInt(2),
          random.nextInt(100).toLong,
          random.nextInt(100).toLong,
          if (random.nextBoolean()) Some(Array(0L, 1L)) else None,
          evidence.map(_ -> random.nextInt(9)).toMap,
          if (random.nextBoolean()) Map("why" -> 1) else Map.empty
        )
      }
      val outcomes = IndexedSeq.fill(random.nextInt(20))(kinds(random.nextInt(kinds.size)))
      val totals = OutcomeTotals.of(outcomes)
      assert(totals.sum(_.keptBytes) == outcomes.map(_.keptBytes).sum)
      assert(totals.count(_.isKnown) == outcomes.count(_.isKnown))
      assert(totals.exists(_.kept > 0) == outcomes.exists(_.kept > 0))
      assert(totals.indicesOf(_.isPruned) == outcomes.indices.filter(outcomes(_).isPruned))
      val each = outcomes.flatMap(_.refutedBy.toSeq).groupBy(_._1)
      assert(totals.sums(_.refutedBy) == each.map { case (k, some) =>
        k -> some.map(_._2.toLong).sum
      })
    }
  }

  private def known(kept: Int) = FilePruning(
    2,
    kept,
    10L * kept,
    100L * kept,
    None,
    Map.empty,
    Map.empty,
    storage = FileStorage.Known(Set.empty, false, false, meetsRequirements = true))
  private val unread = FilePruning.keepAll(100L, ScanPruning.NotChecked)
  private val unreadable = FilePruning.unreadable(100L, "invalid footer length")

  /** Returns the outcomes of files after a second pass over those that the first one kept. */
  private def refined(outcomes: (FilePruning, FilePruning)*): Seq[FilePruning] = {
    val statuses = outcomes.indices.map(i =>
      new FileStatus(100L, false, 1, 100L, 0L, new Path(s"/lake/part-$i.parquet")))
    val first =
      new ScanPruning(
        RowGroupPredicate.True,
        statuses,
        PrunedFiles(outcomes.map(_._1).toIndexedSeq, stoppedEarly = true),
        0L)
    val left = first.keptIndices
    first.refinedBy(left, PrunedFiles(left.map(i => outcomes(i)._2))).outcomes
  }

  test("a second pass replaces the outcomes of the files that it evaluates, and no others.") {
    for (first <- Seq(known(1), known(2), unread, unreadable); second <- Seq(known(0), known(1)))
      assert(refined(known(0) -> known(2), first -> second) == Seq(known(0), second))
  }

  test("a file that only the second pass could not read counts as unreadable.") {
    assert(refined(unread -> unreadable, known(1) -> known(1)) == Seq(unreadable, known(1)))
  }

  test("a file that the first pass evaluated keeps its outcome if the second pass fails at it.") {
    for (second <- Seq(unread, unreadable))
      assert(refined(known(1) -> second, unreadable -> second).head == known(1))
  }

  test("a file that neither pass could check stays as unreadable as the first pass found it.") {
    assert(refined(unread -> unread, unreadable -> unread) == Seq(unread, unreadable))
  }
}
