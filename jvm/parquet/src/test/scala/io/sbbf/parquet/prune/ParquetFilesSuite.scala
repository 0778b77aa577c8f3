package io.sbbf.parquet.prune

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  ObjectInputStream,
  ObjectOutputStream
}
import java.nio.file.{Files, Path => JPath}
import java.util.concurrent.atomic.AtomicInteger

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.crypto.DecryptionPropertiesFactory.CRYPTO_FACTORY_CLASS_PROPERTY_NAME
import org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory
import org.apache.parquet.io.api.Binary
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf, Less}
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate, Value}
import io.sbbf.parquet.hashes.RowGroupIndex
import io.sbbf.parquet.input.{ByteSource, FileStore, OpenFile}
import io.sbbf.parquet.model.{ColumnLookup, FileVersion}
import io.sbbf.parquet.pass.{FileTasks, PlanningLimits, PruningWarnings}
import io.sbbf.parquet.result.{FilePruning, PrunedFiles, StorageRequirements, TaskReads}
import io.sbbf.parquet.statistics.DeclaredType
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.parquet.testing.TestFiles.Style

/** Compares passes whose files are read in tasks with passes that read them. */
class ParquetFilesSuite extends AnyFunSuite {
  import ParquetFilesSuite._

  private val conf = new Configuration(false)
  private val seed = TestFiles.seed()
  private val random = new Random(seed)

  /**
   * Writes row groups of 100 rows each. Even files have no dictionaries. Those of all but the last
   * row groups are before the tail that one read fetches.
   */
  private def write(number: Int): FileStatus = {
    val filler = new Array[Byte](40 << 10)
    random.nextBytes(filler)
    val path = TestFiles.write(
      "message table { required int64 id; optional int32 small; optional binary filler; }",
      Style(filters = if (number % 2 == 0) Map("id" -> 100, "small" -> 100) else Map.empty),
      Iterator.tabulate(100 * (1 + random.nextInt(4))) { i => row =>
        row.add("id", random.nextInt(MostIds).toLong)
        if (random.nextInt(50) > 0) row.add("small", random.nextInt(1000))
        if (i % 100 == 0) row.add("filler", Binary.fromConstantByteArray(filler))
      }
    )
    status(path)
  }

  private def status(path: JPath): FileStatus = {
    path.toFile.setLastModified(1000L)
    new FileStatus(path.toFile.length, false, 1, 1L << 20, 1000L, new Path(path.toUri))
  }

  private lazy val files = (0 until 60).map(write)

  private def id(value: Long): Leaf = Leaf(Seq("id"), In(Seq(Value.IntegerLiteral(value, 64))))
  private def small(value: Int): Leaf =
    Leaf(Seq("small"), In(Seq(Value.IntegerLiteral(value.toLong, 32))))

  private def anyPredicate(): RowGroupPredicate = random.nextInt(5) match {
    case 0 => id(random.nextInt(MostIds).toLong)
    case 1 =>
      RowGroupPredicate.and(Seq(id(random.nextInt(MostIds).toLong), small(random.nextInt(1000))))
    case 2 =>
      RowGroupPredicate.or(Seq(id(random.nextInt(MostIds).toLong), small(random.nextInt(1000))))
    case 3 =>
      Leaf(Seq("id"), In(Seq.fill(3)(Value.IntegerLiteral(random.nextInt(MostIds).toLong, 64))))
    case _ =>
      Leaf(
        Seq("small"),
        Less(Value.IntegerLiteral(random.nextInt(20).toLong, 32), orEqual = true))
  }

  /** Counts the files that the driver opens, and those whose version it requests. */
  private final class Driver extends FileStore {
    val opens = new AtomicInteger
    val versions = new AtomicInteger
    private val store = FileStore.hadoop(conf)
    override def sources(some: IndexedSeq[FileStatus]): IndexedSeq[ByteSource] =
      store.sources(some).map { source =>
        new ByteSource {
          override def open(): OpenFile = { opens.incrementAndGet(); source.open() }
          override def version(): FileVersion = { versions.incrementAndGet(); source.version() }
        }
      }
  }

  private def pass(
      tasks: FileTasks,
      predicate: RowGroupPredicate,
      cache: FooterCache = new FooterCache,
      cacheBytes: Long = 64L << 20,
      sampleFiles: Int = 0,
      listed: IndexedSeq[FileStatus] = files,
      requirements: StorageRequirements = StorageRequirements.Empty,
      hadoopConf: Configuration = conf,
      driver: Driver = new Driver): PrunedFiles =
    new ListingPruner(
      RowGroupIndex.Empty,
      Some(new ParquetEvaluators(hadoopConf, driver, cache, Silent, tasks = tasks)),
      PlanningLimits(threads = 4, sampleFiles, cacheBytes),
      Silent,
      requirements
    ).prune(listed, predicate, ColumnLookup(caseSensitive = true))

  /** Returns all that an outcome holds, with comparable ranges. */
  private def contents(pruned: PrunedFiles): Seq[(FilePruning, Option[Seq[Long]])] =
    pruned.outcomes.map(o => (o.copy(ranges = None), o.ranges.map(_.toSeq)))

  /** Returns the same without what was read. */
  private def decisions(pruned: PrunedFiles): Seq[(FilePruning, Option[Seq[Long]])] =
    contents(pruned.copy(outcomes = pruned.outcomes.map(_.copy(bytesRead = 0, opens = 0))))

  /** Returns a file with the changed bytes of another one. */
  private def changed(number: Int)(change: Array[Byte] => Array[Byte]): FileStatus = {
    val path = TestFiles.fresh()
    Files.write(
      path,
      change(Files.readAllBytes(java.nio.file.Paths.get(files(number).getPath.toUri))))
    status(path)
  }

  test(
    "outcomes equal those of the driver, whether results hold all bytes, some or none.",
    TestFiles.FullRun) {
    val requirements = StorageRequirements(
      Map(ColumnPath.named(Seq("small")) -> DeclaredType.Integer(32)),
      Set(ColumnPath.named(Seq("small"))))
    for (n <- 1 to 40) {
      val predicate = anyPredicate()
      val maxBytes = Seq(0L, 3000L, 20000L, 1L << 20)(n % 4)
      val (tasks, driver) = (new Cluster(maxBytes), new Driver)
      val found = pass(tasks, predicate, driver = driver, requirements = requirements)
      val alone = pass(FileTasks.Off, predicate, requirements = requirements)
      assert(contents(found) == contents(alone), s"$predicate, seed $seed")
      assert(driver.opens.get == 0 && found.tasks == TaskReads(files.size, 0), s"seed $seed")
      assert(alone.tasks == TaskReads.Nothing)
    }
  }

  test("the next pass finds in the cache what tasks have returned, and runs no job.") {
    val (cache, tasks, driver) = (new FooterCache, new Cluster(1L << 20), new Driver)
    val first = pass(tasks, id(5), cache, driver = driver)
    val second = pass(tasks, id(5), cache, driver = driver)
    assert(tasks.jobs.get == 1 && driver.opens.get == 0 && second.tasks == TaskReads.Nothing)
    assert(second.outcomes.map(_.kept) == first.outcomes.map(_.kept))
    assert(second.outcomes.forall(o => o.opens == 0 && o.bytesRead == 0))
  }

  test(
    "tasks read the filters of another column of known files, which enter the cache as well.") {
    val (cache, tasks, driver) = (new FooterCache, new Cluster(1L << 20), new Driver)
    pass(FileTasks.Off, id(5), cache)
    val other = pass(tasks, small(500), cache, driver = driver)
    assert(tasks.jobs.get == 1 && other.tasks.files > 20 && other.tasks.missed == 0)
    assert(decisions(other) == decisions(pass(FileTasks.Off, small(500))), s"seed $seed")
    for (again <- Seq(small(500), id(5)))
      assert(pass(tasks, again, cache, driver = driver).outcomes.forall(_.opens == 0))
    assert(tasks.jobs.get == 1 && driver.opens.get == 0 && driver.versions.get == 0)
  }

  test("tasks do not combine a known footer with a file that was replaced.") {
    val replaced = changed(0)(identity)
    val listed = files.take(9) :+ replaced
    val (cache, other) = (new FooterCache, new FooterCache)
    Seq(cache, other).foreach(pass(FileTasks.Off, id(5), _, listed = listed))
    java.nio.file.Paths.get(replaced.getPath.toUri).toFile.setLastModified(7000L)
    val found = pass(new Cluster(1L << 20), small(500), cache, listed = listed)
    assert(decisions(found) == decisions(pass(FileTasks.Off, small(500), other, listed = listed)))
    assert(found.tasks.missed == 1 && !found.outcomes.last.isPruned, s"seed $seed")
  }

  test("outcomes of tasks stand if another query caches the footers meanwhile.") {
    val (cache, driver) = (new FooterCache, new Driver)
    val tasks = new Cluster(1L << 20) {
      override def run[A](
          some: IndexedSeq[FileVersion],
          work: FileTasks.Work[A],
          isTooSlow: Int => Boolean)(receive: (Int, IndexedSeq[A]) => Unit): Unit = {
        pass(FileTasks.Off, id(5), cache)
        super.run(some, work, isTooSlow)(receive)
      }
    }
    val found = pass(tasks, small(500), cache, driver = driver)
    assert(found.tasks == TaskReads(files.size, 0))
    assert(driver.opens.get == 0 && driver.versions.get == 0)
    assert(decisions(found) == decisions(pass(FileTasks.Off, small(500))), s"seed $seed")
  }

  test("a predicate with very many values runs no job.") {
    def in(number: Int) =
      Leaf(Seq("id"), In((1 to number).map(n => Value.IntegerLiteral(n + 1L * MostIds, 64))))
    val tasks = new Cluster(1L << 20)
    pass(tasks, RowGroupPredicate.and(Seq(in(100001), small(5))), listed = files.take(4))
    assert(tasks.jobs.get == 0)
    pass(tasks, in(100000), listed = files.take(4))
    assert(tasks.jobs.get == 1)
  }

  test("a cache holds no more than its limit, and outcomes stay complete.") {
    val key = id(random.nextInt(MostIds).toLong)
    val expected = contents(pass(FileTasks.Off, key))
    for (cacheBytes <- Seq(0L, 10000L, 60000L)) {
      val cache = new FooterCache
      val found = pass(new Cluster(1L << 20), key, cache, cacheBytes)
      assert(contents(found) == expected && cache.retainedBytes <= cacheBytes, s"seed $seed")
      assert(cacheBytes == 0 || found.filesDeclined > 0)
    }
  }

  test("fewer unread files than a job is worth are read by the driver.") {
    val (tasks, driver) = (new Cluster(1L << 20, minFiles = 40), new Driver)
    val cache = new FooterCache
    pass(tasks, id(5), cache, listed = files.take(39), driver = driver)
    assert(tasks.jobs.get == 0 && driver.opens.get == 39)
    pass(tasks, id(5), cache, driver = driver) // 21 are unread
    assert(tasks.jobs.get == 0 && driver.opens.get == 60)
  }

  test("a sample without benefit stops the pass before a job.") {
    val all = Leaf(Seq("id"), Less(Value.IntegerLiteral(1L << 40, 64), orEqual = true))
    val tasks = new Cluster(1L << 20)
    val found = pass(tasks, all, sampleFiles = 8)
    assert(tasks.jobs.get == 0 && found.stoppedEarly)
  }

  test("the driver reads what tasks lose, and what they cannot read.") {
    val expected = contents(pass(FileTasks.Off, id(7)))
    val driver = new Driver
    val found = pass(new Cluster(1L << 20, loses = _ % 2 == 0), id(7), driver = driver)
    assert(contents(found) == expected)
    assert(found.tasks.missed == driver.opens.get && driver.opens.get > 20)
    assert(found.tasks.files + found.tasks.missed == files.size)
  }

  test("damaged, missing and replaced files are kept, as by the driver.") {
    val damaged = changed(1)(_)
    val other = damaged(identity)
    val replaced = new FileStatus(other.getLen - 9, false, 1, 1L << 20, 1000L, other.getPath)
    val missing = new FileStatus(100L, false, 1, 1L << 20, 1000L, new Path("file:/not/there"))
    val listed = files ++ Seq(
      missing,
      replaced,
      damaged(_.map(_ => 0.toByte)),
      damaged(_.take(50)),
      damaged(bytes => bytes.updated(bytes.length - 40, 0x7f.toByte)))
    val driver = new Driver
    val found = pass(new Cluster(1L << 20), id(7), listed = listed, driver = driver)
    assert(contents(found) == contents(pass(FileTasks.Off, id(7), listed = listed)))
    assert(found.outcomes.slice(60, 64).forall(o => !o.isPruned && !o.isKnown))
    assert(found.tasks.missed >= 4 && driver.opens.get <= 5)
  }

  test("a cancelled job stops the pass.") {
    val cancelled = new Cluster(1L << 20) {
      override def run[A](
          files: IndexedSeq[FileVersion],
          work: FileTasks.Work[A],
          isTooSlow: Int => Boolean)(receive: (Int, IndexedSeq[A]) => Unit): Unit =
        throw new InterruptedException("cancelled")
    }
    intercept[InterruptedException](pass(cancelled, id(5)))
  }

  test("with keys to encrypted files, the driver reads all files.") {
    val keyed = new Configuration(false)
    keyed.set(CRYPTO_FACTORY_CLASS_PROPERTY_NAME, classOf[PropertiesDrivenCryptoFactory].getName)
    val (tasks, driver) = (new Cluster(1L << 20), new Driver)
    pass(tasks, id(5), hadoopConf = keyed, driver = driver)
    assert(tasks.jobs.get == 0 && driver.opens.get == files.size)
  }

  /**
   * Runs tasks of seven files in this thread, on copies of what a cluster would send, and returns
   * the last one first.
   *
   * @param loses selects the tasks that are lost, by their number
   */
  private class Cluster(maxBytes: Long, minFiles: Int = 1, loses: Int => Boolean = _ => false)
      extends FileTasks {
    val jobs = new AtomicInteger
    override def canRead(files: Int): Boolean = files >= minFiles

    override def run[A](
        files: IndexedSeq[FileVersion],
        work: FileTasks.Work[A],
        isTooSlow: Int => Boolean)(receive: (Int, IndexedSeq[A]) => Unit): Unit = {
      jobs.incrementAndGet()
      val parts = files.grouped(7).toIndexedSeq
      parts.indices.reverse.filterNot(loses).foreach { n =>
        receive(n * 7, copied(copied(work)(copied(parts(n)), conf, maxBytes)))
      }
    }
  }
}

object ParquetFilesSuite {
  private val MostIds = 4000

  private object Silent extends PruningWarnings {
    override def once(topic: String, text: => String): Unit = ()
    override def once(topic: String, text: => String, cause: Throwable): Unit = ()
  }

  /** Returns a copy as it arrives on another machine. */
  private def copied[A](value: A): A = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(value)
    out.close()
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)) {
      override def resolveClass(of: java.io.ObjectStreamClass): Class[_] =
        Class.forName(of.getName, false, getClass.getClassLoader)
    }.readObject().asInstanceOf[A]
  }
}
