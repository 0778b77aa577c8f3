package io.sbbf.spark.index

import java.io.{File, IOException}
import java.nio.file.Files
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import java.util.concurrent.{Callable, Executors}

import scala.util.{Random, Try}

import io.sbbf.index.search.IndexCache
import io.sbbf.parquet.testing.{Faults, TestFiles}

/**
 * Whatever fails, and whoever works at the same time: no query fails, and none loses a row.
 * SBBF_STRIDE=1 lets each step of a change fail, and SBBF_DAMAGES=200000 flips 10,000 bits.
 */
class IndexFaultsSuite extends FaultyTables {
  private val random = new Random(TestFiles.seed())

  /** SegmentFaultsSuite takes smaller ones, without Spark. */
  private val stride =
    if (sys.env.contains("SBBF_STRIDE")) TestFiles.stride else 8 * TestFiles.stride

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.setLogLevel("OFF") // all failures are intended
  }

  /** Checks lookups of present and absent keys of a table with the rows below `rows`. */
  private def check(table: Table, rows: Int, hint: => String): Unit = {
    val some = Seq.fill(2)(random.nextInt(rows).toLong)
    assert(table.ids(s"${key(some.head)} OR ${name(some(1))}") == some.distinct.sorted, hint)
    assert(table.ids(s"${key(rows + 5L)} OR ${name(some(1))} AND id >= 0") == Seq(some(1)), hint)
  }

  private def chain(e: Throwable): String =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).map(_.toString).mkString("; ")

  private lazy val bare: Table = {
    val table = new Table("bare")
    (0 until 3).foreach(n => table.add(n * RowsOfFile.toLong))
    table
  }

  private lazy val grown: Table = {
    val table = bare.copy("grown")
    table.create("key", "name")
    table.add(3L * RowsOfFile)
    table
  }

  /** As many segments as a refresh merges. */
  private lazy val fragmented: Table = {
    val table = new Table("fragmented")
    (0 until 8).foreach { n =>
      table.add(n * 20L, rows = 20)
      table.create("key", "name")
    }
    table
  }

  // the name of a change; the table before it with the number of its rows; the change
  private val changes = Seq[(String, () => (Table, Int), Table => IndexOutcome)](
    ("build", () => (bare, 3 * RowsOfFile), _.create("key", "name")),
    ("refresh", () => (grown, 4 * RowsOfFile), _.refresh()),
    ("merge", () => (fragmented, 8 * 20), _.refresh())
  )

  for {
    (change, before, run) <- changes
    (fault, faultAt) <- Seq[(String, Int => Faults)](
      "fails" -> ((n: Int) => new Faults { failsAt = n }),
      "is killed" -> ((n: Int) => new Faults { diesAt = n }))
  }
    test(s"a $change that $fault at any step leaves right answers, and a later one succeeds") {
      val (pristine, rows) = before()
      var n = 1 + random.nextInt(stride)
      var reached = true
      while (reached) {
        val hint = s"step $n"
        val table = pristine.copy(s"$change-$fault-$n")
        val faults = faultAt(n)
        Faults.during(faults)(Try(run(table)))
        reached = faults.happened
        table.forget()
        assert(table.contents.damaged.isEmpty, hint)
        check(table, rows, hint)
        run(table)
        assert(table.covered.values.toSet == Set(pristine.folder.list.count(isData)), hint)
        assert(table.isIndexed, hint)
        check(table, rows, hint)
        delete(table.folder)
        n += stride
      }
      info(s"$n steps")
      assert(n > 10)
    }

  private def isData(name: String): Boolean = name.endsWith(".parquet")

  test("an index whose folder cannot be listed for a time stays in use") {
    val table = bare.copy("unlisted")
    table.create("key")
    var now = 0L
    val cache = new IndexCache(() => now)
    assert(table.segmentsIn(cache) == 1)
    for (_ <- 1 to 2) {
      now += 30000
      val faults = new Faults { diesAt = 1 }
      Faults.during(faults)(assert(table.segmentsIn(cache) == 1))
      assert(faults.happened)
    }
    delete(table.index)
    now += 30000
    assert(table.segmentsIn(cache) == 0)
  }

  test("a full disk fails the build with its reason, commits nothing and leaves no files") {
    val table = bare.copy("full")
    for (bytes <- Seq(0L, 1000L)) {
      val full = new Faults { maxBytes = bytes }
      val error = intercept[Exception](Faults.during(full)(table.create("key")))
      assert(chain(error).contains("No space left"), chain(error))
      assert(full.steps("create") && table.segments.isEmpty)
      check(table, 3 * RowsOfFile, s"$bytes bytes")
    }
    assert(table.create("key").files == 3 && table.isIndexed)
  }

  test("a store that fails while a query searches the index loses no row of the query") {
    val table = grown.copy("down")
    table.refresh()
    for (part <- Seq("list _sbbf", "open _segment.json", "open _files.parquet", "open _keys-")) {
      table.forget()
      val failed = new AtomicInteger
      val failing = new Faults {
        besides = (what: String) =>
          if (what.startsWith(part)) {
            failed.incrementAndGet()
            throw new IOException(what)
          }
      }
      Faults.during(failing)(check(table, 4 * RowsOfFile, part))
      assert(failed.get > 0, part)
    }
    table.forget()
    assert(table.isIndexed)
  }

  test("a refresh builds a damaged segment again, also after an index of other columns") {
    val table = bare.copy("damaged")
    table.create("key")
    table.parts.foreach(_.delete())
    table.create("name")
    check(table, 3 * RowsOfFile, "damaged")
    table.refresh()
    assert(table.covered == Map("key" -> 3, "name" -> 3) && table.isIndexed)
    check(table, 3 * RowsOfFile, "built again")
  }

  test("two builders at once give valid segments") {
    for (round <- 0 until math.max(1, 6 / TestFiles.stride)) {
      val table = (if (round % 2 == 0) bare else fragmented).copy(s"twice-$round")
      val rows = if (round % 2 == 0) 3 * RowsOfFile else 8 * 20
      def change(): IndexOutcome =
        if (round % 2 == 0) table.create("key", "name") else table.refresh()
      val pool = Executors.newFixedThreadPool(2)
      try {
        val both =
          Seq.fill(2)(pool.submit((() => change()): Callable[IndexOutcome]))
        both.foreach(_.get())
      } finally pool.shutdown()
      assert(table.contents.damaged.isEmpty && table.isIndexed)
      check(table, rows, s"round $round")
      assert(table.refresh().segment.isEmpty)
    }
  }

  test("a build or a drop while another build commits damages no segment") {
    for ((what, beside) <- Seq[(String, Table => Unit)](
        "build" -> ((t: Table) => { t.create("key", "name"); () }),
        "drop" -> ((t: Table) => { IndexCommand.drop(spark, t.uri); () }))) {
      val table = bare.copy(s"beside-$what")
      val isBegun = new AtomicBoolean
      val faults = new Faults {
        besides = (step: String) =>
          if (step == "rename _begun.json" && isBegun.compareAndSet(false, true)) beside(table)
      }
      val outcome = Faults.during(faults)(Try(table.create("key", "name")))
      assert(isBegun.get)
      assert(outcome.isSuccess || what == "drop", outcome)
      table.forget()
      check(table, 3 * RowsOfFile, what)
      table.create("key", "name")
      assert(table.isIndexed && table.contents.damaged.isEmpty)
    }
  }

  test("queries answer while segments, and files of them, are deleted and built again") {
    val table = grown.copy("deleted")
    val stopped = new AtomicBoolean
    val (lookups, searched) = (new AtomicInteger, new AtomicInteger)
    val pool = Executors.newFixedThreadPool(2)
    try {
      val reader = pool.submit((() => {
        val own = new Random(random.nextLong())
        while (!stopped.get) {
          val id = own.nextInt(5 * RowsOfFile).toLong
          val condition = if (own.nextBoolean()) key(id) else s"${name(id)} OR ${key(id)}"
          val query = table.where(condition)
          if (pruning(query).exists(_.isIndexed)) searched.incrementAndGet()
          val found = query.collect().map(_.getLong(0)).toSeq
          assert(found == Seq(id).filter(_ < 4 * RowsOfFile), condition)
          lookups.incrementAndGet()
        }
      }): Callable[Unit])
      (0 until 24 / TestFiles.stride).takeWhile(_ => !reader.isDone).foreach { n =>
        table.create("key", "name")
        table.ids(key(1))
        n % 4 match {
          case 0 => table.parts.foreach(_.delete())
          case 1 => table.segments.foreach(delete)
          case 2 => table.segments.foreach(new File(_, "_files.parquet").delete())
          case 3 => table.segments.foreach(new File(_, "_segment.json").delete())
        }
        if (n % 8 < 4) table.forget() // or else queries still hold what was deleted
      }
      stopped.set(true)
      reader.get()
    } finally {
      stopped.set(true)
      pool.shutdown()
    }
    info(s"$lookups lookups, $searched of them by the index")
    assert(searched.get > 0)
    table.create("key", "name")
    assert(table.isIndexed)
  }

  test("queries with an index of flipped bits answer as without it") {
    val table = grown.copy("flipped")
    table.refresh()
    val files = table.segments.flatMap(_.listFiles).filter(!_.getName.startsWith("."))
    val flips = sys.env.get("SBBF_DAMAGES").fold(2000)(_.toInt) / 20 / TestFiles.stride
    var used = 0
    for (n <- 0 until flips) {
      val file = files(random.nextInt(files.length))
      val bytes = Files.readAllBytes(file.toPath)
      val flipped = bytes.clone()
      val at = random.nextInt(bytes.length)
      flipped(at) = (flipped(at) ^ (1 << random.nextInt(8))).toByte
      Files.write(file.toPath, flipped)
      table.forget()
      val hint = s"flip $n: ${file.getName}, byte $at"
      val id = random.nextInt(5 * RowsOfFile).toLong
      val query = table.where(if (random.nextBoolean()) key(id) else name(id))
      assert(query.collect().map(_.getLong(0)).toSeq == Seq(id).filter(_ < 4 * RowsOfFile), hint)
      if (pruning(query).exists(_.isIndexed)) used += 1
      Files.write(file.toPath, bytes)
    }
    info(s"$used of $flips damaged indexes were still searched")
    assert(used > 0)
  }
}
