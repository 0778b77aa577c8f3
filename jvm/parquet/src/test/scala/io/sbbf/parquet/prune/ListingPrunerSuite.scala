package io.sbbf.parquet.prune

import java.nio.file.{Files, Path => JPath}

import scala.collection.mutable
import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf, Less}
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate, Value}
import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.parquet.input.{ByteSource, FileStore, OpenFile}
import io.sbbf.parquet.model.{ColumnLookup, Evidence, FileVersion}
import io.sbbf.parquet.pass.{PlanningLimits, PruningWarnings}
import io.sbbf.parquet.result.{
  FilePruning,
  FileStorage,
  PrunedFiles,
  ScanPruning,
  StorageRequirements
}
import io.sbbf.parquet.statistics.DeclaredType
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.parquet.testing.TestFiles.Style

/** Tests the pruner of a scan's files without a Spark session. */
class ListingPrunerSuite extends AnyFunSuite {

  /** Writes four row groups of 100 even ids each, from `first` on. */
  private def write(first: Long): FileStatus = {
    val path = TestFiles.write(
      "message table { required int64 id; required int32 small; }",
      Style(filters = Map("id" -> 100)),
      Iterator.tabulate(400) { i => row =>
        row.add("id", first + 2L * i)
        row.add("small", i % 100)
      }
    )
    status(path)
  }

  private def status(path: JPath): FileStatus = {
    val file = path.toFile
    // modified long ago, so that the cache may return its evidence
    file.setLastModified(1000L)
    new FileStatus(file.length, false, 1, 1L << 20, 1000L, new Path(path.toUri))
  }

  private final class Recorder extends PruningWarnings {
    val topics: mutable.Buffer[String] = mutable.Buffer.empty
    override def once(topic: String, text: => String): Unit =
      topics.synchronized { topics += topic; () }
    override def once(topic: String, text: => String, cause: Throwable): Unit = once(topic, text)
  }

  private def lookup(id: Long): RowGroupPredicate =
    Leaf(Seq("id"), In(Seq(Value.IntegerLiteral(id, 64))))

  private val conf = new Configuration(false)

  private def prune(
      files: Seq[FileStatus],
      predicate: RowGroupPredicate,
      sampleFiles: Int = 0,
      requirements: StorageRequirements = StorageRequirements.Empty,
      cache: FooterCache = new FooterCache,
      cacheBytes: Long = 4L << 20,
      warnings: PruningWarnings = new Recorder,
      store: FileStore = FileStore.hadoop(conf),
      seconds: Int = 0): PrunedFiles =
    new ListingPruner(
      RowGroupIndex.Empty,
      Some(new ParquetEvaluators(conf, store, cache, warnings)),
      PlanningLimits(threads = 2, sampleFiles, cacheBytes, seconds),
      warnings,
      requirements
    ).prune(files.toIndexedSeq, predicate, ColumnLookup(caseSensitive = true))

  private lazy val files = Seq(0L, 10000L, 20000L).map(write)

  test("a stored key keeps only its row group, and an absent key keeps none.") {
    // key; row groups kept in each file
    val table = Seq((10002L, Seq(0, 1, 0)), (10003L, Seq(0, 0, 0)), (20798L, Seq(0, 0, 1)))
    for ((key, kept) <- table) {
      val pruned = prune(files, lookup(key))
      assert(pruned.outcomes.map(_.kept) == kept, key)
      assert(pruned.outcomes.map(_.isPruned) == kept.map(_ == 0), key)
      assert(pruned.outcomes.forall(_.rowGroups == 4) && !pruned.stoppedEarly)
    }
    assert(
      prune(files, lookup(10003L)).outcomes(1).refutedBy == Map(
        Evidence.MinMax -> 3,
        Evidence.Bloom -> 1))
  }

  test("the byte range holds only the midpoint of the surviving row group.") {
    val outcome = prune(files, lookup(10002L)).outcomes(1)
    assert(outcome.ranges.exists(r => r.length == 2 && r(0) + 1 == r(1) && r(0) > 4))
    assert(outcome.keptRows == 100 && outcome.keptBytes < files(1).getLen)
  }

  test("a predicate that cannot prune opens no file.") {
    val pruned = prune(files, RowGroupPredicate.Unknown("a function"))
    assert(pruned.outcomes.forall(o => o.opens == 0 && !o.isKnown && !o.isPruned))
  }

  test("an unreadable file is kept with a warning, and its storage is reported as unreadable.") {
    val broken = TestFiles.fresh()
    Files.write(broken, "no Parquet file".getBytes)
    val missing =
      new FileStatus(100L, false, 1, 1L << 20, 1000L, new Path("file:/not/there.parquet"))
    val warnings = new Recorder
    val pruned =
      prune(Seq(status(broken), missing, files(1)), lookup(10002L), warnings = warnings)
    assert(pruned.outcomes.map(_.isPruned) == Seq(false, false, false))
    assert(pruned.outcomes.map(_.storage == FileStorage.Unreadable) == Seq(true, true, false))
    val reasons = Seq("not a Parquet file", "file not found")
    assert(pruned.outcomes.take(2).map(_.keptBecause.keys.head) == reasons)
    assert(warnings.topics.toSet == reasons.toSet)
  }

  /** Opens each file after some time. */
  private final class Slow(millis: Long) extends FileStore {
    private val store = FileStore.hadoop(conf)
    override def sources(files: IndexedSeq[FileStatus]): IndexedSeq[ByteSource] =
      store.sources(files).map { source =>
        new ByteSource {
          override def open(): OpenFile = {
            Thread.sleep(millis)
            source.open()
          }
          override def version(): FileVersion = source.version()
        }
      }
  }

  test("files that would take too long are kept unread, and the next pass reads more of them.") {
    val many = (0 until 300).map(n => write(n * 10000L))
    val cache = new FooterCache
    def unread(seconds: Int) = {
      val pruned =
        prune(many, lookup(5L), cache = cache, store = new Slow(20), seconds = seconds)
      val some = pruned.outcomes.filterNot(_.isKnown)
      assert(pruned.stoppedEarly == some.nonEmpty)
      assert(some.forall(_.keptBecause == Map(ScanPruning.TooSlow -> 1)))
      some.size
    }
    assert(unread(seconds = 1) == 268)
    assert(unread(seconds = 1) == 236)
    assert(unread(seconds = 60) == 0)
  }

  test("a sample without benefit stops the pass before the other files are read.") {
    val many = Seq.fill(40)(files.head)
    val pruned = prune(
      many,
      Leaf(
        Seq("id"),
        In(
          Seq(
            Value.IntegerLiteral(0, 64),
            Value.IntegerLiteral(200, 64),
            Value.IntegerLiteral(400, 64),
            Value.IntegerLiteral(600, 64)))),
      sampleFiles = 8
    )
    assert(pruned.stoppedEarly)
    assert(pruned.outcomes.count(_.storage == FileStorage.Unread) == 32)
    assert(
      pruned.outcomes.filterNot(_.isKnown).forall(_.keptBecause.contains(ScanPruning.NotChecked)))
  }

  test("each file reports whether it meets the requirements.") {
    val small = ColumnPath.named(Seq("small"))
    // the scan's requirements; whether the files, whose column is an INT32 of any size, meet them
    val table = Seq(
      StorageRequirements.Empty -> false,
      StorageRequirements(Map.empty, Set(small)) -> true,
      StorageRequirements(Map(small -> DeclaredType.Integer(8)), Set.empty) -> false
    )
    for ((requirements, meets) <- table) {
      val found =
        prune(files, lookup(10002L), requirements = requirements).outcomes.map(_.storage)
      assert(found.forall(_ == FileStorage.Known(Set.empty, false, false, meets)), requirements)
    }
  }

  test("filters that tasks may probe are checked in kept row groups, whatever decides.") {
    val sound = java.nio.file.Paths.get(write(0L).getPath.toUri)
    val file = status(TestFiles.damaged(sound) { (metadata, bytes) =>
      metadata.getRow_groups.forEach { group =>
        bytes(group.getColumns.get(0).getMeta_data.getBloom_filter_offset.toInt) = 0
      }
    })
    val byBounds = Leaf(Seq("id"), Less(Value.IntegerLiteral(10, 64), orEqual = true))
    val probed = StorageRequirements.Empty.copy(probed = Set(ColumnPath.named(Seq("id"))))
    for ((requirements, rejected) <- Seq(
        StorageRequirements.Empty -> Map.empty,
        probed -> Map("damaged header" -> 1))) {
      val outcome = prune(Seq(file), byBounds, requirements = requirements).outcomes.head
      assert(outcome.kept == 1 && outcome.filtersRejected == rejected)
    }
  }

  test("a second pass over the same files reads nothing.") {
    val cache = new FooterCache
    val (first, second) =
      (prune(files, lookup(10003L), cache = cache), prune(files, lookup(10003L), cache = cache))
    assert(first.outcomes.map(_.opens).sum == 3 && first.outcomes.map(_.bytesRead).sum > 0)
    assert(second.outcomes.map(_.opens).sum == 0 && second.outcomes.map(_.bytesRead).sum == 0)
    assert(second.outcomes.map(_.kept) == first.outcomes.map(_.kept))
  }

  test("a pass over a known listing has the outcomes of a pass with a new cache.") {
    val cache = new FooterCache
    val small = ColumnPath.named(Seq("small"))
    val random = new Random(TestFiles.seed())
    prune(files, lookup(10003L), cache = cache)
    for (_ <- 0 until 200) {
      val keys = Seq.fill(1 + random.nextInt(2))(random.nextInt(21000).toLong)
      val predicate = Leaf(Seq("id"), In(keys.map(Value.IntegerLiteral(_, 64))))
      val requirements =
        if (random.nextBoolean()) StorageRequirements.Empty
        else StorageRequirements(Map.empty, Set(small))
      val listed = if (random.nextBoolean()) files else files.reverse.map(new FileStatus(_))
      val known = prune(listed, predicate, requirements = requirements, cache = cache)
      val fresh = prune(listed, predicate, requirements = requirements)
      assert(known.outcomes.map(withoutReads) == fresh.outcomes.map(withoutReads), keys)
    }
  }

  /** Arrays are equal only if they are the same one. */
  private def withoutReads(o: FilePruning) =
    (o.copy(ranges = None, bytesRead = 0, opens = 0), o.ranges.map(_.toSeq))

  test("refuted files of a known listing share their outcomes.") {
    val cache = new FooterCache
    val many = Seq.fill(20)(files(1)) ++ Seq.fill(20)(files(2))
    val passes = Seq.fill(3)(prune(many, lookup(10003L), cache = cache))
    def distinct(pass: PrunedFiles) =
      pass.outcomes.map(System.identityHashCode(_)).distinct.size
    assert(distinct(passes.head) > 2 && distinct(passes.last) == 2)
  }

  test("a listing with a replaced file is a new listing.") {
    val cache = new FooterCache
    Seq.fill(2)(prune(files, lookup(10003L), cache = cache))
    val replaced = new FileStatus(files(1).getLen, false, 1, 1L << 20, 2000L, files(1).getPath)
    val pass = prune(files.updated(1, replaced), lookup(10003L), cache = cache)
    assert(pass.outcomes.map(_.opens) == Seq(0, 1, 0))
    cache.forget(Set(files(2).getPath))
    assert(prune(files, lookup(10003L), cache = cache).outcomes.map(_.opens) == Seq(0, 0, 1))
  }

  /** Files with a filter of 2 KiB for each of two columns and row groups. */
  private lazy val wide = (0 until 8).map { _ =>
    status(
      TestFiles.write(
        "message table { required int64 a; required int64 b; }",
        Style(filters = Map("a" -> 1000, "b" -> 1000)),
        Iterator.tabulate(400)(i =>
          row => {
            row.add("a", 2L * (i * 7 % 400))
            row.add("b", 2L * (i * 7 % 400))
          })
      ))
  }

  /** Returns how many files a lookup opens. */
  private def opens(column: String, cache: FooterCache, cacheBytes: Long): Int =
    prune(
      wide,
      Leaf(Seq(column), In(Seq(Value.IntegerLiteral(401, 64)))),
      cache = cache,
      cacheBytes = cacheBytes).outcomes.map(_.opens).sum

  test("the filters of a known listing give space to those of another column.") {
    val unlimited = new FooterCache
    Seq.fill(3)(opens("a", unlimited, Long.MaxValue))
    val (cache, space) = (new FooterCache, unlimited.retainedBytes)
    for (column <- Seq("a", "b", "a"))
      assert(Seq.fill(4)(opens(column, cache, space)) == Seq(8, 0, 0, 0), column)
  }

  test("a pass keeps the filters that it uses through a listing.") {
    val unlimited = new FooterCache
    Seq.fill(3)(opens("a", unlimited, Long.MaxValue))
    for (share <- Seq(0.9, 0.7, 0.5)) {
      val (cache, space) = (new FooterCache, (unlimited.retainedBytes * share).toLong)
      val opened = Seq.fill(6)(opens("a", cache, space))
      assert(opened.head == 8 && opened(1) < 8 && opened.drop(2).forall(_ <= opened(1)), opened)
    }
  }

  test("a table that was used through a listing stays longer than one that was not used since.") {
    val unlimited = new FooterCache
    Seq.fill(3)(opens("a", unlimited, Long.MaxValue))
    val (cache, space) = (new FooterCache, 2 * unlimited.retainedBytes + (64 << 10))
    def others(n: Int) = wide.map { file =>
      val copy = new Path(file.getPath.getParent, s"$n-${file.getPath.getName}")
      Files.copy(
        java.nio.file.Paths.get(file.getPath.toUri),
        java.nio.file.Paths.get(copy.toUri),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING)
      status(java.nio.file.Paths.get(copy.toUri))
    }
    val key = Leaf(Seq("a"), In(Seq(Value.IntegerLiteral(401, 64))))
    def opened(files: Seq[FileStatus]) =
      prune(files, key, cache = cache, cacheBytes = space).outcomes.map(_.opens).sum
    val (old, large) = (others(1), others(2) ++ others(3).take(2))
    Seq.fill(2)(opened(wide)) // known from the second pass on
    opened(old)
    Seq.fill(2)(opened(wide))
    opened(large.take(5))
    assert(opened(wide) == 0)
  }

  test("an interrupted pass throws.") {
    Thread.currentThread.interrupt()
    try intercept[InterruptedException](prune(files, lookup(10002L)))
    finally Thread.interrupted()
  }
}
