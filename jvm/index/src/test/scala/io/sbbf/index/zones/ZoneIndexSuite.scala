package io.sbbf.index.zones

import java.io.File
import java.nio.file.{Files, Path => JPath, Paths}

import scala.collection.mutable
import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.bloom.{SplitBlockBloomFilter, XxHash64}
import io.sbbf.core.predicate.ColumnPath.{Element, Field}
import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate, Value}
import io.sbbf.index.format.{IndexPlace, StoredZones}
import io.sbbf.index.search.IndexCache
import io.sbbf.index.testing.{LocalIndex, LocalZones}
import io.sbbf.parquet.chunk.FilterState
import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.model.{ColumnLookup, Evidence}
import io.sbbf.parquet.pass.{PlanningLimits, PruningWarnings}
import io.sbbf.parquet.prune.{FooterCache, ScanPruner}
import io.sbbf.parquet.result.{PrunedFiles, StorageRequirements}
import io.sbbf.parquet.testing.TestFiles.Style
import io.sbbf.parquet.testing.{TestFile, TestFiles}

/** Looks keys up in filters of zones, and compares with the values of the files. */
class ZoneIndexSuite extends AnyFunSuite {
  private val conf = new Configuration(false)
  private val seed = TestFiles.seed()
  private val random = new Random(seed)

  private case class Row(id: Long, name: Option[String], real: Double)

  /** A folder of files of row groups with 100 rows each, without statistics that could decide. */
  private final class Table {
    val folder: JPath = Files.createTempDirectory("zones")
    folder.toFile.deleteOnExit()
    val place: IndexPlace =
      IndexPlace.of(new Path(folder.toUri.toString.stripSuffix("/")), "", conf)
    val cache = new IndexCache
    var files: Vector[FileStatus] = Vector.empty
    var rows: Vector[Seq[Row]] = Vector.empty

    def add(of: Seq[Row], filters: Map[String, Int] = Map.empty): FileStatus = {
      val file = folder.resolve(s"part-${files.size}.parquet")
      TestFiles.write(
        """message table {
          required int64 id;
          optional binary name (STRING);
          required double real;
          optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
        }""",
        Style(filters = filters),
        of.iterator.map { row => group =>
          group.add("id", row.id)
          row.name.foreach(group.add("name", _))
          group.add("real", row.real)
          val tags = group.addGroup("tags")
          Seq(row.id, row.id + 1).foreach(n => tags.addGroup("list").add("element", s"tag-$n"))
        },
        file
      )
      file.toFile.setLastModified(1000L + files.size * 1000L)
      files :+= status(file.toFile)
      rows :+= of
      files.last
    }

    def index(columns: Seq[String], items: Int, failed: Set[Int] = Set.empty): Unit = {
      new LocalZones(place, conf)
        .add(files, columns, StoredZones.Rule(items, 0.00057, fromFilters = false), failed)
      cache.forget(place.index)
    }

    def prune(predicate: RowGroupPredicate, listed: IndexedSeq[FileStatus] = files): PrunedFiles =
      new ScanPruner(
        conf,
        FileStore.hadoop(conf),
        PlanningLimits(threads = 2, sampleFiles = 0, tailBytes = 64 << 10, cacheBytes = 0),
        new FooterCache,
        StorageRequirements.Empty,
        NoWarnings,
        index = cache.index(_ => Seq(place), conf, NoWarnings)
      ).prune(listed, predicate, ColumnLookup(true))

    /** Row groups that hold a row by `test`, in each file. */
    def holding(test: Row => Boolean): Seq[Int] =
      rows.map(_.grouped(100).count(_.exists(test)))
  }

  private object NoWarnings extends PruningWarnings {
    override def once(topic: String, text: => String): Unit = ()
    override def once(topic: String, text: => String, cause: Throwable): Unit = ()
  }

  private def status(file: File): FileStatus =
    new FileStatus(file.length, false, 1, 1L << 20, file.lastModified, new Path(file.toURI))

  private def id(values: Long*): Leaf =
    Leaf(Seq("id"), In(values.map(Value.IntegerLiteral(_, 64))))
  private def text(value: String): Value = Value.Bytes(value.getBytes, text = true)
  private def name(value: String): Leaf = Leaf(Seq("name"), In(Seq(text(value))))
  private def real(value: Double): Leaf = Leaf(Seq("real"), In(Seq(Value.DoubleLiteral(value))))
  private def kept(pruned: PrunedFiles): Seq[Int] = pruned.outcomes.map(_.kept)
  private def searched(pruned: PrunedFiles): Boolean = pruned.index.segments > 0

  /** Rows with scattered ids, so that min/max exclude nothing. */
  private def scattered(from: Long, count: Int): Seq[Row] =
    (from until from + count).map { n =>
      val key = XxHash64.hashLong(n)
      Row(
        key,
        if (n / 100 % 2 == 0) Some(s"n$key") else None,
        if (n % 100 == 7) -0.0 else n / 2.0)
    }

  private lazy val table: Table = {
    val made = new Table
    (0 until 3).foreach(n => made.add(scattered(1000L * n, 400)))
    made.index(Seq("id", "name", "real", "tags.list.element"), items = 64)
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
    val nulls = new Table
    nulls.add(scattered(0, 100).map(_.copy(name = Some("x"))))
    nulls.add(
      scattered(100, 300).map(r => r.copy(name = if (r.real == 110.0) None else Some("x"))))
    nulls.index(Seq("name"), items = 30)
    val pruned = nulls.prune(Leaf(Seq("name"), IsNull))
    assert(kept(pruned) == Seq(0, 1) && pruned.outcomes.map(_.opens) == Seq(0, 1))
  }

  test("the table of zones has a row for each run of rows, none across a row group") {
    for ((items, lengths) <- Seq(
        64 -> Seq(64L, 36L),
        0 -> Seq(100L),
        1000 -> Seq(100L),
        50 -> Seq(50L, 50L))) {
      val cut = new Table
      cut.add(scattered(0, 200))
      cut.add(scattered(200, 100))
      cut.index(Seq("id"), items)
      val folder = cut.place.folder(conf)
      val segment = folder.segments().head.getPath.getName
      val zones = mutable.ArrayBuffer.empty[Zone]
      val stored = folder.manifest(segment).get.columns.head.zones.get
      ZoneTable.read(stored.table, folder.segment(segment), conf)(zones += _)
      assert(zones.map(_.length) == Seq.fill(3)(lengths).flatten)
      assert(zones.map(_.file).distinct == Seq(0, 1) && zones.forall(!_.hasNull))
      assert(
        zones.filter(_.file == 0).map(_.start) == zones
          .filter(_.file == 0)
          .map(_.length)
          .scanLeft(0L)(_ + _)
          .init)
      assert(zones.map(_.rowGroup).distinct == Seq(0, 1, 2))
      assert(zones.map(_.filter) == zones.indices && stored.slabs.head.filters == zones.size)
    }
  }

  test("random tables answer as their rows, whatever the zones") {
    var (falsePositives, tested) = (0, 0)
    for (_ <- 0 until 30 / TestFiles.stride) {
      val made = new Table
      for (_ <- 0 until 1 + random.nextInt(3))
        made.add(Seq.fill(100 * (1 + random.nextInt(3))) {
          val name = if (random.nextInt(150) == 0) None else Some(s"n${random.nextInt(5000)}")
          Row(random.nextInt(9000).toLong * 1001, name, random.nextInt(500) / 4.0 - 50)
        })
      made.index(Seq("id", "name", "real"), Seq(0, 1, 33, 100, 8192)(random.nextInt(5)))
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
    val stale = new Table
    (0 until 3).foreach(n => stale.add(scattered(1000L * n, 200)))
    stale.index(Seq("id"), items = 0, failed = Set(1))
    stale.add(scattered(5000, 200))
    assert(stale.prune(id(7)).outcomes.map(_.opens) == Seq(0, 1, 0, 1))
    assert(kept(stale.prune(id(stale.rows(1)(5).id)))(1) == 2)
    val changed = new File(stale.files(2).getPath.toUri)
    changed.setLastModified(77000L)
    val listed = stale.files.updated(2, status(changed))
    assert(stale.prune(id(7), listed).outcomes.map(_.opens) == Seq(0, 1, 1, 1))
  }

  test("keys decide before filters of zones, and zones about the other files") {
    val both = new Table
    both.add(scattered(0, 100))
    new LocalIndex(both.place.table, conf).add(both.files, Seq("id"))
    both.add(scattered(1000, 100))
    both.index(Seq("id"), items = 0)
    for (file <- 0 to 1) {
      val pruned = both.prune(id(both.rows(file)(50).id))
      assert(kept(pruned) == Seq(1 - file, file) && pruned.index.segments == 2)
      assert(pruned.index.pages == (if (file == 0) 2 + 8 else 1 + 8) || pruned.index.pages == 8)
    }
  }

  test("damaged zones lose no row, and zones that are gone count as missing") {
    val damaged = new Table
    Seq(0L, 1000L).foreach(n => damaged.add(scattered(n, 200)))
    damaged.index(Seq("id", "name"), items = 50)
    val folder = new File(damaged.place.folder(conf).segments().head.getPath.toUri)
    folder.listFiles.filter(_.getName.endsWith(".crc")).foreach(_.delete())
    val files = folder.listFiles
    val all = damaged.rows.flatten
    var used = 0
    for (_ <- 0 until 600 / TestFiles.stride) {
      val file = files(random.nextInt(files.length))
      val bytes = Files.readAllBytes(file.toPath)
      val at = random.nextInt(bytes.length)
      val flipped = bytes.clone()
      flipped(at) = (flipped(at) ^ (1 << random.nextInt(8))).toByte
      Files.write(file.toPath, flipped)
      damaged.cache.forget(damaged.place.index)
      val row = all(random.nextInt(all.size))
      val predicate = Or(id(row.id) +: row.name.map(name).toSeq)
      val pruned = damaged.prune(predicate)
      val expected = damaged.holding(_.id == row.id)
      assert(
        kept(pruned).zip(expected).forall { case (a, b) => a >= b },
        s"${file.getName}, byte $at, seed $seed")
      if (searched(pruned)) used += 1
      Files.write(file.toPath, bytes)
    }
    info(s"$used damaged indexes were still searched")
    assert(used > 0)
    for (gone <- files if gone.getName.startsWith("slab-") || gone.getName.startsWith("zones-")) {
      gone.delete()
      damaged.cache.forget(damaged.place.index)
      assert(kept(damaged.prune(And(Seq(id(all.head.id), Leaf(Seq("name"), IsNotNull)))))(0) >= 1)
    }
  }

  test("transposed filters answer as the files' own do, for every key of 100,000") {
    val own = new Table
    // filters of two sizes, and a file without any
    own.add(scattered(0, 1000), Map("id" -> 100, "name" -> 100))
    own.add(scattered(1000, 300), Map("id" -> 10))
    own.add(scattered(2000, 200))
    val rule = StoredZones.Rule(0, 0.01, fromFilters = true)
    val manifest = new LocalZones(own.place, conf).add(own.files, Seq("id", "name"), rule)
    val stored = manifest.columns.head.zones.get
    assert(stored.slabs.map(s => s.filters).sum == 13)
    val column = ZoneColumn
      .open(stored, own.place.folder(conf).segment(manifest.id), manifest.rowGroups, conf)
    val filters = own.files.map(f => new TestFile(Paths.get(f.getPath.toUri))).flatMap { file =>
      (0 until file.footer.numRowGroups).map(file.filter(_, "id"))
    }
    assert(filters.size == manifest.rowGroups)
    var hits = 0
    for (n <- 0 until 100000 / TestFiles.stride) {
      val hash = XxHash64.hashLong(if (n < 1300) XxHash64.hashLong(n.toLong) else n.toLong)
      val found = mutable.TreeSet.empty[Int]
      column.find(Array(hash), conf, (_, _) => ())(found += _)
      val expected = filters.indices.filter(g =>
        filters(g) match {
          case FilterState.Present(_, _, bitset) =>
            SplitBlockBloomFilter.mightContain(bitset, hash)
          case _ => true
        })
      assert(found.toSeq == expected, s"key $n")
      hits += found.size - 2 // those without a filter
    }
    info(s"$hits filters hold a key")
    assert(hits >= 1300 / TestFiles.stride)
  }

  test("NULL is found in the footers if filters are those of the files") {
    val own = new Table
    own.add(scattered(0, 400), Map("name" -> 100))
    new LocalZones(own.place, conf)
      .add(own.files, Seq("name"), StoredZones.Rule(0, 0.01, fromFilters = true))
    assert(kept(own.prune(Leaf(Seq("name"), IsNull))) == Seq(2))
  }
}
