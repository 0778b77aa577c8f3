package io.sbbf.parquet.prune

import java.nio.file.{Path => JPath}
import java.util.concurrent.Executors

import scala.util.control.ControlThrowable

import org.apache.hadoop.fs.{EtagSource, FileStatus, Path}
import org.apache.parquet.example.data.Group
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.{ColumnPath, Value}
import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, FileVersion}
import io.sbbf.parquet.testing.TestFiles.Style
import io.sbbf.parquet.testing.{TestFile, TestFiles}

class FooterCacheSuite extends AnyFunSuite {
  import FooterCacheSuite._

  test("a pass over more than the cache holds keeps a part, and reads only the rest again.") {
    val footers = heldBy(cache => (0 until 40).foreach(put(cache, _, Unlimited)))
    val all = footers + 40 * filterBytes
    for (factor <- Seq(1.25, 2.0, 10.0)) {
      val (cache, bound) = (new FooterCache, (all / factor).toLong)
      val Seq(first, second, third) = Seq.fill(3)(query(cache, 0 until 40, bound))
      assert(first.opened == 40 && first.declined > 0)
      val fitting = math.max(0, (bound - footers) / filterBytes)
      assert(
        (39L - fitting to 41L - fitting).contains(second.opened.toLong),
        s"with 1/$factor of the space")
      assert(third == second && third.declined == third.opened)
    }
  }

  test("footers come before filters.") {
    val footers = heldBy(cache => (0 until 40).foreach(put(cache, _, Unlimited)))
    val cache = new FooterCache
    val bound = footers + 3 * filterBytes
    query(cache, 0 until 40, bound)
    val second = query(cache, 0 until 40, bound)
    assert(second.footersRead == 0 && second.opened >= 37 && second.opened < 40)
  }

  test("filters of a column give space to those of the column that is queried now.") {
    val footers = heldBy(cache => (0 until 10).foreach(put(cache, _, Unlimited)))
    val cache = new FooterCache
    val bound = footers + 10 * filterBytes + filterBytes / 2
    for (column <- Seq("c0", "c1", "c0")) {
      assert(query(cache, 0 until 10, bound, column).opened == 10, column)
      assert(query(cache, 0 until 10, bound, column).opened == 0, column)
    }
  }

  test("among the files that a pass does not use, the least recently used go first.") {
    val (a, b, c) = (0 until 10, 10 until 20, 20 until 30)
    val cache = new FooterCache
    val bound = heldBy(query(_, 0 until 20, Unlimited))
    for (files <- Seq(a, b, a, c)) query(cache, files, bound)
    assert(query(cache, a, bound).opened == 0)
    assert(query(cache, b, bound).opened == 10)
  }

  test("a pass with a lower limit shrinks the cache to it.") {
    val cache = new FooterCache
    query(cache, 0 until 40, Unlimited)
    val half = cache.retainedBytes / 2
    val found = query(cache, 0 until 40, half)
    assert(found.opened >= 20 && found.opened < 40)
    assert(query(cache, 0 until 40, maxBytes = 0) == Query(40, 40, 0))
    assert(cache.size == 0 && cache.retainedBytes == 0)
  }

  test("10,000 footers stay within the limit.") {
    val (cache, bound) = (new FooterCache, 4L << 20)
    val (pass, one) = (cache.pass(bound), evidence())
    (0 until 10000).foreach { i =>
      pass.put(version(i), one, Now)
      assert(cache.retainedBytes <= bound)
    }
    assert(cache.size > 100 && cache.size + pass.filesDeclined == 10000)
    assert(
      pass.get[FileEvidence](version(0)).isDefined && pass
        .get[FileEvidence](version(9999))
        .isEmpty)
  }

  test(
    "a cached footer takes less than 100 bytes per column chunk, as the heap confirms.",
    TestFiles.FullRun) {
    val cache = new FooterCache
    evidence()
    def heap(): Long = {
      (0 until 3).foreach { _ => System.gc(); Thread.sleep(50) }
      Runtime.getRuntime.totalMemory - Runtime.getRuntime.freeMemory
    }
    val before = heap()
    (0 until 5000).foreach(put(cache, _, Unlimited))
    val measured = heap() - before
    val rowGroups = evidence().footer.numRowGroups
    val counted = cache.retainedBytes
    info(f"${counted / 5000}%,d bytes a file of $rowGroups row groups and $NumColumns columns, " +
      f"${counted / 5000.0 / rowGroups / NumColumns}%.1f for each of both; the heap grew by ${measured / 5000}%,d a file")
    assert(cache.size == 5000)
    assert(counted / 5000.0 / rowGroups / NumColumns < 100)
    assert(counted > measured * 0.7 && counted < measured * 1.5)
  }

  test("a footer stays cached while another pass reads filters that are not counted yet.") {
    val cache = new FooterCache
    val bound = heldBy(cache => (0 until 3).foreach(put(cache, _, Unlimited))) + 2 * filterBytes
    val Seq(a, b, c) = Seq.fill(3)(evidence())
    val (one, other) = (cache.pass(bound), cache.pass(bound))
    for ((file, i) <- Seq(a, b, c).zipWithIndex) other.put(version(i), file, Now)
    Seq(a, b).zipWithIndex.foreach { case (file, i) =>
      lookUp(file, "c0")
      other.settle(version(i))
    }
    lookUp(a, "c1")
    lookUp(c, "c0")
    other.settle(version(2))
    assert((0 until 3).forall(i => one.get[FileEvidence](version(i)).isDefined))
    assert(cache.retainedBytes <= bound && other.filesDeclined == 1)
    one.settle(version(0))
    assert((0 until 3).forall(i => one.get[FileEvidence](version(i)).isDefined))
    assert(cache.retainedBytes <= bound)
  }

  test("files that were used through a listing are evicted before those of the running pass.") {
    val cache = new FooterCache
    val (a, b) = (0 until 10, 10 until 20)
    val bound = heldBy(query(_, a, Unlimited)) + 10 * statusBytes + filterBytes
    for (files <- Seq(a, a, a, b)) query(cache, files, bound)
    assert(query(cache, b, bound).opened == 0)
    assert(query(cache, a, bound).opened == 10)
  }

  test("listings count as memory, and are dropped before evidence is.") {
    val cache = new FooterCache
    query(cache, 0 until 10, Unlimited)
    val withoutListing = heldBy(query(_, 0 until 10, Unlimited))
    cache.pass(Unlimited).listing((0 until 10).map(status))
    assert(cache.retainedBytes >= withoutListing + 10 * statusBytes)
    assert(query(cache, 0 until 10, withoutListing).opened == 0)
  }

  test("a footer that takes all the space evicts nothing.") {
    val cache = new FooterCache
    val bound = heldBy(query(_, 0 until 3, Unlimited))
    query(cache, 0 until 3, bound)
    val large = version(3).copy(path = new Path("file:/" + "x" * bound.toInt))
    val pass = cache.pass(bound)
    pass.put(large, evidence(), Now)
    assert(pass.get[FileEvidence](large).isEmpty && pass.filesDeclined == 1)
    assert(query(cache, 0 until 3, bound).opened == 0)
  }

  test("later footers take the space of filters that the same pass has read.") {
    val cache = new FooterCache
    val footers = heldBy(cache => (0 until 40).foreach(put(cache, _, Unlimited)))
    val pass = cache.pass(footers)
    for (i <- 0 until 40) {
      val file = evidence()
      pass.put(version(i), file, Now)
      lookUp(file, "c0")
      pass.settle(version(i))
    }
    assert(cache.size == 40 && pass.filesDeclined == 40)
  }

  test("a footer read within two seconds of the file's modification is not used again.") {
    val pass = new FooterCache().pass(Unlimited)
    val fresh = FileVersion(new Path("file:/a"), 10L, Now)
    pass.put(fresh, evidence(), Now + 1999)
    assert(pass.get[FileEvidence](fresh).isEmpty)
    pass.put(fresh, evidence(), Now + 2000)
    assert(pass.get[FileEvidence](fresh).isDefined)
  }

  test("a file without a modification time is never cached, unless it has an ETag.") {
    val pass = new FooterCache().pass(Unlimited)
    for (time <- Seq(0L, -1L)) {
      val undated = FileVersion(new Path("file:/a"), 10L, time)
      pass.put(undated, evidence(), Now)
      assert(pass.get[FileEvidence](undated).isEmpty)
      pass.put(undated.copy(etag = Some("a")), evidence(), Now)
      assert(pass.get[FileEvidence](undated.copy(etag = Some("a"))).isDefined)
    }
  }

  private final class Tagged(tag: String)
      extends FileStatus(10L, false, 1, 10L, 0L, new Path("file:/tagged"))
      with EtagSource {
    override def getEtag: String = tag
  }

  test("ETags distinguish versions of the same length and modification time.") {
    val plain = new FileStatus(10L, false, 1, 10L, 0L, new Path("file:/tagged"))
    val versions = Seq(plain, new Tagged(null), new Tagged("a"), new Tagged("b"))
      .map(FileVersion.of)
    assert(versions(0) == versions(1) && versions.distinct.size == 3)
  }

  test("another length, modification time or etag is another file.") {
    val pass = new FooterCache().pass(Unlimited)
    pass.put(version(1), evidence(), Now)
    assert(pass.get[FileEvidence](version(1).copy(length = 1001L)).isEmpty)
    assert(pass.get[FileEvidence](version(1).copy(modificationTime = 2L)).isEmpty)
    assert(pass.get[FileEvidence](version(1).copy(etag = Some("b"))).isEmpty)
  }

  test("forgotten files are read again, and free their space.") {
    val cache = new FooterCache
    query(cache, 0 until 10, Unlimited)
    cache.forget((0 until 10).map(version(_).path).toSet)
    assert(cache.size == 0 && cache.retainedBytes == 0)
    assert(query(cache, 0 until 10, Unlimited).footersRead == 10)
  }

  test("concurrent queries keep the counted size correct.") {
    val (cache, bound) = (new FooterCache, 8 * heldBy(query(_, 0 until 1, Unlimited)))
    val threads = Executors.newFixedThreadPool(4)
    val queries = (0 until 4).map(t =>
      threads.submit[Unit](() =>
        (0 until 100).foreach { i =>
          query(cache, i % 7 + t until i % 7 + t + 10, bound, s"c${i % 2}", isAlone = false)
          if (i % 10 == 0) cache.forget(Set(version(t).path))
          if (i % 50 == 0) cache.clear()
        }))
    threads.shutdown()
    queries.foreach(_.get())
    assert(cache.retainedBytes > 0 && cache.retainedBytes <= bound)
    cache.pass(0)
    assert(cache.size == 0 && cache.retainedBytes == 0)
  }
}

object FooterCacheSuite {
  private final val NumColumns = 20
  private final val Unlimited = Long.MaxValue
  private final val Now = 1000000L

  /** Even numbers in every row group of eight, and filters for them in the first two columns. */
  private lazy val file: JPath = {
    val names = (0 until NumColumns).map(c => s"c$c")
    val count = 8 * TestFiles.RowsPerGroup
    TestFiles.write(
      names.map(name => s"required int64 $name;").mkString("message m { ", " ", " }"),
      Style(filters = Map("c0" -> 1000, "c1" -> 1000)),
      Iterator.tabulate(count)(row =>
        (group: Group) => names.foreach(name => group.add(name, 2 * (row * 7919L % count))))
    )
  }

  /** A number between the bounds of all row groups, which none of them holds. */
  private val absent = Value.IntegerLiteral(801, 64)

  private def evidence(): FileEvidence = new FileEvidence(new TestFile(file).footer)

  private def version(i: Int): FileVersion = FileVersion.of(status(i))

  private def status(i: Int): FileStatus =
    new FileStatus(1000L, false, 1, 1L << 20, 1L, new Path(f"file:/table/part-$i%05d.parquet"))

  /** At least so many bytes of heap does a listing hold of each file. */
  private val statusBytes = 360L

  /** What a query read from the store, and how many files found no space in the cache. */
  private final case class Query(footersRead: Int, opened: Int, declined: Int)

  /** Looks up a key in a column of the files as a pass does: first in memory, then in the store. */
  private def query(
      cache: FooterCache,
      files: Seq[Int],
      maxBytes: Long,
      column: String = "c0",
      isAlone: Boolean = true): Query = {
    val pass = cache.pass(maxBytes)
    val listing = pass.listing(files.map(status).toIndexedSeq)
    val found =
      files.map(version).zip(listing.evidence.map(Option(_)))
    val unread = found.filterNot(_._2.exists(holds(_, column)))
    unread.foreach { case (version, known) =>
      val read = known.getOrElse(evidence())
      if (known.isEmpty) pass.put(version, read, Now)
      lookUp(read, column)
      pass.settle(version)
    }
    if (isAlone) assert(cache.retainedBytes <= maxBytes)
    Query(found.count(_._2.isEmpty), unread.size, pass.filesDeclined)
  }

  /** Returns whether a lookup needs nothing that is not in memory. */
  private def holds(evidence: FileEvidence, column: String): Boolean =
    try { lookUp(evidence, column, () => throw NotInMemory); true }
    catch { case NotInMemory => false }

  private object NotInMemory extends ControlThrowable

  private def lookUp(evidence: FileEvidence, column: String): Unit =
    lookUp(evidence, column, () => new TestFile(file).bytes)

  private def lookUp(evidence: FileEvidence, column: String, open: () => FileBytes): Unit = {
    val leaf = Leaf(ColumnPath.named(Seq(column)), In(Seq(absent)))
    val bound = evidence.bind(leaf, ColumnLookup(caseSensitive = true), new LiteralEncodings)
    lazy val bytes = open()
    (0 until evidence.footer.numRowGroups).foreach(bound.evalContents(_, () => bytes))
  }

  private def put(cache: FooterCache, i: Int, maxBytes: Long): Unit =
    cache.pass(maxBytes).put(version(i), evidence(), Now)

  /** Returns the bytes that a new cache holds after `use`. */
  private def heldBy(use: FooterCache => Any): Long = {
    val cache = new FooterCache
    use(cache)
    cache.retainedBytes
  }

  /** The heap of one column's filters in one file. */
  private lazy val filterBytes: Long =
    heldBy(query(_, Seq(0), Unlimited)) - heldBy(put(_, 0, Unlimited))
}
