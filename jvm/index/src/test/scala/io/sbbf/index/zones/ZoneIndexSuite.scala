package io.sbbf.index.zones

import java.io.File

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.ColumnPath.{Element, Field}
import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate, Value}
import io.sbbf.index.testing.IndexedFolder.{kept, status}
import io.sbbf.index.testing.ZonedTable
import io.sbbf.index.testing.ZonedTable._
import io.sbbf.parquet.model.Evidence
import io.sbbf.parquet.result.PrunedFiles
import io.sbbf.parquet.testing.TestFiles

/** Looks keys up in filters of zones, and compares with the values of the files. */
class ZoneIndexSuite extends AnyFunSuite {
  private val seed = TestFiles.seed()
  private val random = new Random(seed)

  private def searched(pruned: PrunedFiles): Boolean = pruned.index.segments > 0

  private lazy val table: ZonedTable = {
    val made = new ZonedTable
    (0 until 3).foreach(n => made.add(scattered(1000L * n, 400)))
    made.addZones(Seq("id", "name", "real", "tags.list.element"), items = 64)
    made
  }

  test("a lookup keeps the row groups whose zones may hold its key, and opens no other file") {
    val keys = table.rows.map(_.map(_.id))
    val tag = ColumnPath(Seq(Field("tags"), Element))
    // predicate; row groups kept in each file
    val lookups = Seq[(RowGroupPredicate, Seq[Int])](
      id(keys(1)(150)) -> Seq(0, 1, 0),
      id(keys(1)(0), keys(2)(1), keys(2)(399)) -> Seq(0, 1, 2),
      id(12345) -> Seq(0, 0, 0),
      name(s"n${keys(0)(299)}") -> Seq(1, 0, 0),
      real(0.0) -> Seq(4, 4, 4),
      real(1033 / 2.0) -> Seq(0, 1, 0),
      Leaf(tag, In(Seq(text(s"tag-${keys(2)(5) + 1}")))) -> Seq(0, 0, 1),
      Or(Seq(id(keys(1)(150)), name(s"n${keys(2)(250)}"))) -> Seq(0, 1, 1),
      Leaf(Seq("name"), IsNull) -> Seq(2, 2, 2)
    )
    // in two row groups of one file, which is opened
    val apart = And(Seq(id(keys(1)(150)), name(s"n${keys(1)(250)}")))
    assert(kept(table.prune(apart)) == Seq(0, 0, 0))
    for ((predicate, expected) <- lookups) {
      val pruned = table.prune(predicate)
      assert(kept(pruned) == expected && searched(pruned), predicate)
      assert(pruned.outcomes.map(_.opens) == expected.map(n => if (n > 0) 1 else 0), predicate)
      for (outcome <- pruned.outcomes if outcome.isPruned)
        assert(outcome.refutedBy == Map(Evidence.Index -> 4), predicate)
    }
  }

  test("what filters cannot decide is never searched") {
    for (predicate <- Seq(
        Leaf(Seq("id"), NotIn(Seq(Value.IntegerLiteral(5, 64)))),
        Leaf(Seq("name"), IsNotNull),
        Leaf(Seq("id"), Greater(Value.IntegerLiteral(5, 64), orEqual = false)),
        real(Double.NaN)
      )) {
      val pruned = table.prune(predicate)
      assert(!searched(pruned) && !pruned.outcomes.exists(_.refutedBy.contains(Evidence.Index)))
    }
  }

  test("NULL counts per zone, and a column without one has no candidate") {
    val nulls = new ZonedTable
    nulls.add(scattered(0, 100).map(_.copy(name = Some("x"))))
    nulls.add(
      scattered(100, 300).map(r => r.copy(name = if (r.real == 110.0) None else Some("x"))))
    nulls.addZones(Seq("name"), items = 30)
    val pruned = nulls.prune(Leaf(Seq("name"), IsNull))
    assert(kept(pruned) == Seq(0, 1) && pruned.outcomes.map(_.opens) == Seq(0, 1))
  }

  test("random tables answer as their rows, whatever the zones") {
    var (falsePositives, tested) = (0, 0)
    for (_ <- 0 until 30 / TestFiles.stride) {
      val made = new ZonedTable
      for (_ <- 0 until 1 + random.nextInt(3))
        made.add(Seq.fill(100 * (1 + random.nextInt(3))) {
          val name = if (random.nextInt(150) == 0) None else Some(s"n${random.nextInt(5000)}")
          Row(random.nextInt(9000).toLong * 1001, name, random.nextInt(500) / 4.0 - 50)
        })
      made.addZones(Seq("id", "name", "real"), Seq(0, 1, 33, 100, 8192)(random.nextInt(5)))
      for (_ <- 0 until 60) {
        val (k, n, r) =
          (
            random.nextInt(9000) * 1001L,
            s"n${random.nextInt(5000)}",
            random.nextInt(500) / 4.0 - 50)
        val leaves = Seq[(RowGroupPredicate, Row => Boolean)](
          id(k) -> (_.id == k),
          name(n) -> (_.name.contains(n)),
          real(r) -> (_.real == r),
          Leaf(Seq("name"), IsNull) -> (_.name.isEmpty))
        for ((predicate, test) <- leaves) {
          val (found, expected) = (kept(made.prune(predicate)), made.holding(test))
          assert(found.zip(expected).forall { case (a, b) => a >= b }, s"$predicate, seed $seed")
          falsePositives += found.sum - expected.sum
          tested += found.sum
        }
      }
    }
    info(s"$falsePositives of $tested kept row groups hold no match")
    assert(falsePositives <= tested / 20)
  }

  test("a file that is new, changed or failed to be read is read itself") {
    val stale = new ZonedTable
    (0 until 3).foreach(n => stale.add(scattered(1000L * n, 200)))
    stale.addZones(Seq("id"), items = 0, failed = Set(1))
    stale.add(scattered(5000, 200))
    assert(stale.prune(id(7)).outcomes.map(_.opens) == Seq(0, 1, 0, 1))
    assert(kept(stale.prune(id(stale.rows(1)(5).id)))(1) == 2)
    val changed = new File(stale.all(2).getPath.toUri)
    changed.setLastModified(77000L)
    val listed = stale.all.updated(2, status(changed))
    assert(stale.prune(id(7), listed).outcomes.map(_.opens) == Seq(0, 1, 1, 1))
  }

  test("keys decide before filters of zones, and zones about the other files") {
    val both = new ZonedTable
    both.add(scattered(0, 100))
    both.index.add(both.all, Seq("id"))
    both.add(scattered(1000, 100))
    both.addZones(Seq("id"), items = 0)
    for (file <- 0 to 1) {
      val pruned = both.prune(id(both.rows(file)(50).id))
      assert(kept(pruned) == Seq(1 - file, file) && pruned.index.segments == 2)
      assert(pruned.index.pages == (if (file == 0) 2 + 8 else 1 + 8) || pruned.index.pages == 8)
    }
  }
}
