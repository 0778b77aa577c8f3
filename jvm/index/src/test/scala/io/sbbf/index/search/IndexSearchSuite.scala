package io.sbbf.index.search

import java.io.File
import java.nio.file.{Files, Paths}

import scala.util.Random

import org.apache.hadoop.fs.FileStatus
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.ColumnPath.{Element, Field}
import io.sbbf.core.predicate.RowGroupPredicate.{And, In, Leaf, Or, Unknown}
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate, Value}
import io.sbbf.index.testing.IndexedFolder
import io.sbbf.index.testing.IndexedFolder.{kept, status}
import io.sbbf.parquet.model.Evidence
import io.sbbf.parquet.result.{FilePruning, IndexReads}
import io.sbbf.parquet.testing.TestFiles.Style
import io.sbbf.parquet.testing.{TestFile, TestFiles}

/** Looks keys up in indexes of small tables, and compares with the values of the files. */
class IndexSearchSuite extends AnyFunSuite {
  private val random = new Random(TestFiles.seed())
  private var now = 0L

  /** A folder of files of four row groups with 100 rows each. */
  private final class Table extends IndexedFolder(() => now) {

    /** Adds a file whose row n has `id` n above `first`; the other columns follow from it. */
    def add(first: Long, idType: String = "int64"): FileStatus =
      write(
        s"""message table {
          required $idType id;
          optional binary name (STRING);
          required double real;
          required int32 few;
          optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
        }""",
        Style(dictionary = true),
        Iterator.tabulate(400) { i => row =>
          val id = first + i
          if (idType == "int64") row.add("id", id) else row.add("id", id.toInt)
          if (id % 5 != 0) row.add("name", s"name-$id")
          row.add("real", if (id % 400 == 7) -0.0 else id / 2.0)
          row.add("few", i % 3)
          val tags = row.addGroup("tags")
          (0 until i % 3).foreach(n =>
            tags.addGroup("list").add("element", s"tag-${id * 10 + n}"))
        }
      )
  }

  private def id(values: Long*): Leaf =
    Leaf(Seq("id"), In(values.map(Value.IntegerLiteral(_, 64))))
  private def name(value: String): Leaf = Leaf(Seq("name"), In(Seq(text(value))))
  private def text(value: String): Value = Value.Bytes(value.getBytes, text = true)

  /** Returns the row groups of a file that tasks read, by the midpoints within their ranges. */
  private def rowGroups(file: FileStatus, outcome: FilePruning): Seq[Int] = {
    val footer = new TestFile(Paths.get(file.getPath.toUri)).footer
    (0 until footer.numRowGroups).filter { g =>
      outcome.ranges.forall(
        _.grouped(2).exists(r => r(0) <= footer.midpoint(g) && footer.midpoint(g) < r(1)))
    }
  }

  private val Columns = Seq("id", "name", "real", "few", "tags.list.element")

  private lazy val table: Table = {
    val made = new Table
    Seq(0L, 1000L, 2000L).foreach(made.add(_))
    made.index.add(made.all, Columns)
    made
  }

  test(
    "a present key keeps its row group and opens its file alone, and an absent key opens none") {
    val tag = ColumnPath(Seq(Field("tags"), Element))
    // predicate; row groups kept in each file
    val lookups = Seq[(RowGroupPredicate, Seq[Int])](
      id(1150) -> Seq(0, 1, 0),
      id(1150, 2001, 2399) -> Seq(0, 1, 2),
      id(1450) -> Seq(0, 0, 0),
      name("name-311") -> Seq(1, 0, 0),
      name("name-310") -> Seq(0, 0, 0),
      Leaf(Seq("real"), In(Seq(Value.DoubleLiteral(1033.5)))) -> Seq(0, 0, 1),
      Leaf(Seq("real"), In(Seq(Value.DoubleLiteral(0.0)))) -> Seq(1, 1, 1),
      Leaf(Seq("few"), In(Seq(Value.IntegerLiteral(3, 32)))) -> Seq(0, 0, 0),
      Leaf(tag, In(Seq(text("tag-10110")))) -> Seq(0, 1, 0),
      Leaf(tag, In(Seq(text("tag-10119")))) -> Seq(0, 0, 0),
      Leaf(Seq("unknown"), In(Seq(text("x")))) -> Seq(0, 0, 0)
    )
    for ((predicate, expected) <- lookups) {
      val pruned = table.prune(predicate)
      assert(kept(pruned) == expected, predicate)
      assert(pruned.outcomes.map(_.opens) == expected.map(n => if (n > 0) 1 else 0), predicate)
      val refuted = pruned.outcomes.filter(_.isPruned)
      assert(refuted.forall(_.refutedBy == Map(Evidence.Index -> 4)), predicate)
      assert(
        pruned.index.segments == 1 && pruned.index.pages > 0 || predicate.leaves.head.column.root == "unknown")
    }
  }

  test("a lookup keeps the row group that holds its key, whichever it is") {
    for (key <- Seq(0L, 99L, 100L, 399L, 1201L, 2300L)) {
      val outcomes = table.prune(id(key)).outcomes
      val file = outcomes.indexWhere(_.kept > 0)
      assert(rowGroups(table.all(file), outcomes(file)) == Seq(key.toInt % 1000 / 100), key)
    }
  }

  test("a value that is in more than an eighth of many row groups is left to the files") {
    val wide = new Table
    (0 until 20).foreach(n => wide.add(1000L * n))
    val segment = wide.index.add(wide.all, Seq("few", "id"))
    assert(segment.columns.head.parts.map(_.entries).sum == 3) // one for each value
    val value = Leaf(Seq("few"), In(Seq(Value.IntegerLiteral(2, 32))))
    assert(!wide.prune(value).outcomes.exists(_.refutedBy.contains(Evidence.Index)))
    assert(kept(wide.prune(value)) == Seq.fill(20)(4))
    assert(
      kept(wide.prune(And(Seq(value, id(3001))))) == Seq.tabulate(20)(n => if (n == 3) 1 else 0))
  }

  test("a file that failed is unknown, and its keys count for nothing") {
    val failed = new Table
    Seq(0L, 1000L, 2000L).foreach(failed.add(_))
    failed.index.add(failed.all, Seq("id"), failed = Set(1))
    assert(failed.prune(id(1001)).outcomes.map(_.opens) == Seq(0, 1, 0))
    assert(kept(failed.prune(id(2001))) == Seq(0, 0, 1))
  }

  test("a segment that is gone while it is open counts as missing") {
    val gone = new Table
    gone.add(0)
    val segment = gone.index.add(gone.all, Seq("id"))
    assert(kept(gone.prune(id(5000))) == Seq(0))
    gone.index.folder.delete(segment.id)
    assert(kept(gone.prune(id(5))) == Seq(1) && kept(gone.prune(id(395))) == Seq(1))
  }

  test("a value that is in most row groups keeps all of them") {
    val pruned = table.prune(Leaf(Seq("few"), In(Seq(Value.IntegerLiteral(2, 32)))))
    assert(kept(pruned) == Seq(4, 4, 4))
  }

  test("other parts of a predicate combine with what the index finds") {
    val unknown = Unknown("test")
    // predicate; row groups kept in each file
    val cases = Seq[(RowGroupPredicate, Seq[Int])](
      And(Seq(id(1150), unknown)) -> Seq(0, 1, 0),
      And(Seq(id(1150), name("name-1151"))) -> Seq(0, 1, 0),
      And(Seq(id(1150), name("name-1251"))) -> Seq(0, 0, 0),
      Or(Seq(id(1150), name("name-2251"))) -> Seq(0, 1, 1),
      Or(Seq(id(1150), And(Seq(name("name-2251"), unknown)))) -> Seq(0, 1, 1)
    )
    for ((predicate, expected) <- cases)
      assert(kept(table.prune(predicate)) == expected, predicate)
  }

  test("files of other types of a column have their own keys") {
    val mixed = new Table
    mixed.add(0)
    mixed.add(1000, "int32")
    mixed.add(2000)
    mixed.index.add(mixed.all, Seq("id"))
    for (key <- Seq(5L, 1005L, 2005L, 3005L)) {
      val expected = Seq(0L, 1000L, 2000L).map(first => if (key / 1000 * 1000 == first) 1 else 0)
      val pruned = mixed.prune(id(key))
      assert(kept(pruned) == expected && pruned.outcomes.map(_.opens) == expected, key)
    }
  }

  test("a file that the index does not know, or knows in another version, is read itself") {
    val stale = new Table
    stale.add(0)
    stale.add(1000)
    stale.index.add(stale.all, Seq("id"))
    stale.add(2000)
    assert(stale.prune(id(1)).outcomes.map(_.opens) == Seq(1, 0, 1))
    assert(kept(stale.prune(id(2001))) == Seq(0, 0, 1))
    val changed = stale.all(1).getPath.toUri
    new File(changed).setLastModified(77000L)
    val listed = stale.all.updated(1, status(new File(changed)))
    assert(stale.prune(id(1), listed).outcomes.map(_.opens) == Seq(1, 1, 1))
  }

  test("a file that was read soon after its modification is not known") {
    val fresh = new Table
    val file = fresh.add(0)
    new File(file.getPath.toUri).setLastModified(System.currentTimeMillis)
    val listed = IndexedSeq(status(new File(file.getPath.toUri)))
    fresh.index.add(listed, Seq("id"))
    assert(fresh.prune(id(5000), listed).outcomes.map(_.opens) == Seq(1))
  }

  test("names of columns are found as in the files") {
    val leaf = Leaf(Seq("ID"), In(Seq(Value.IntegerLiteral(1150, 64))))
    assert(kept(table.prune(leaf, caseSensitive = false)) == Seq(0, 1, 0))
    // no file has a column of that name, so that it is NULL
    assert(kept(table.prune(leaf)) == Seq(0, 0, 0))
  }

  test("several segments answer together, and replaced ones no longer") {
    val grown = new Table
    grown.add(0)
    val first = grown.index.add(grown.all, Seq("id"))
    grown.add(1000)
    val second = grown.index.add(grown.all.drop(1), Seq("id"))
    val pruned = grown.prune(id(1001))
    assert(kept(pruned) == Seq(0, 1) && pruned.index.segments == 2)
    val merged = grown.index.add(grown.all, Seq("id"), replaces = Seq(first.id, second.id))
    now += 30000
    val after = grown.prune(id(1001))
    assert(kept(after) == Seq(0, 1) && after.index.segments == 1)
    grown.index.folder.delete(merged.id)
    now += 30000
    assert(grown.prune(id(1001)).index.segments == 2)
  }

  test("an index is listed again after 30 seconds, or once it is forgotten") {
    val empty = new Table
    empty.add(0)
    assert(empty.prune(id(5)).index == IndexReads.Nothing)
    empty.index.add(empty.all, Seq("id"))
    now += 29999
    assert(empty.prune(id(5)).index == IndexReads.Nothing)
    now += 1
    assert(empty.prune(id(5)).index.segments == 1)
    empty.index.folder.drop()
    empty.cache.forget(empty.index.folder.path)
    assert(empty.prune(id(5)).index == IndexReads.Nothing)
  }

  test("a damaged index loses no row") {
    val damaged = new Table
    Seq(0L, 1000L).foreach(damaged.add(_))
    val segment = damaged.index.add(damaged.all, Seq("id", "name"))
    val folder = new File(damaged.index.folder.segment(segment.id).toUri)
    val files = folder.listFiles.filter(f => !f.getName.endsWith(".crc"))
    folder.listFiles.filter(_.getName.endsWith(".crc")).foreach(_.delete())
    var used = 0
    val flips = 2000 / TestFiles.stride
    for (_ <- 0 until flips) {
      val file = files(random.nextInt(files.length))
      val bytes = Files.readAllBytes(file.toPath)
      val at = random.nextInt(bytes.length)
      val flipped = bytes.clone()
      flipped(at) = (flipped(at) ^ (1 << random.nextInt(8))).toByte
      Files.write(file.toPath, flipped)
      val key = random.nextInt(1400).toLong
      damaged.cache.forget(damaged.index.folder.path)
      val pruned = damaged.prune(Or(Seq(id(key), name(s"name-$key"))))
      val expected = Seq(key < 400, key >= 1000).map(if (_) 1 else 0)
      // without the index, min/max keep more
      val isRight = kept(pruned).zip(expected).forall { case (some, least) => some >= least }
      assert(isRight, s"${file.getName}, byte $at, key $key")
      if (pruned.index.segments > 0) used += 1
      Files.write(file.toPath, bytes)
    }
    info(s"$used of $flips damaged indexes were still searched")
    assert(used > 0 && used < flips)
  }
}
