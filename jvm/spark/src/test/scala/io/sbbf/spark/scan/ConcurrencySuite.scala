package io.sbbf.spark.scan

import java.io.{File, FileNotFoundException}
import java.nio.file.{Files, StandardCopyOption}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import java.util.concurrent.locks.ReentrantReadWriteLock
import java.util.concurrent.{Callable, Executors}

import scala.util.{Failure, Random, Success, Try}

import org.apache.parquet.example.data.Group
import org.apache.spark.sql.SparkSession

import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.SbbfConf

/**
 * Runs concurrent queries on one cache while files are replaced. SBBF_QUERIES sets the number of
 * queries of each thread.
 */
class ConcurrencySuite extends SparkSuite {
  import ConcurrencySuite._

  private val queries = sys.env.get("SBBF_QUERIES").fold(40)(_.toInt) / TestFiles.stride

  test("16 threads get correct rows while files are replaced and the cache evicts.") {
    val seed = TestFiles.seed()
    val moving = new Lake(new File(folder, "moving"), renames = true)
    val rewritten = new Lake(new File(folder, "rewritten"), renames = false)
    val (stopped, vanished, pruned) = (new AtomicBoolean, new AtomicInteger, new AtomicInteger)
    val pool = Executors.newFixedThreadPool(Threads + 1)
    def task[T](body: => T) = pool.submit((() => body): Callable[T])
    try {
      val replacer = task {
        val random = new Random(seed)
        while (!stopped.get) {
          Seq(moving, rewritten)(random.nextInt(2)).replace(random.nextInt(LakeFiles))
          if (random.nextInt(20) == 0) FooterCache.shared.clear()
          Thread.sleep(20)
        }
      }
      val readers = (0 until Threads).map(n =>
        task {
          val session = spark.newSession()
          // half of the sessions allow the cache only a few of the files
          session.conf.set(SbbfConf.CacheBytes.key, if (n % 2 == 0) "20000" else "256m")
          session.conf.set(SbbfConf.RowGroupPruning.key, (n % 4 != 3).toString)
          val random = new Random(seed + n)
          (0 until queries).foreach { _ =>
            val lake = Seq(moving, rewritten)(random.nextInt(2))
            val wanted = Seq.fill(1 + random.nextInt(2))(random.nextInt(2 * Keys)).distinct
            lake.check(session, wanted) match {
              case Vanished => vanished.incrementAndGet()
              case Answered(files) => if (files < LakeFiles) pruned.incrementAndGet()
            }
          }
        })
      readers.foreach(_.get())
      stopped.set(true)
      replacer.get()
    } finally {
      stopped.set(true)
      pool.shutdown()
    }
    val all = Threads * queries
    info(
      s"$all queries, ${pruned.get} of them pruned; ${vanished.get} met a vanished file; " +
        s"${moving.replaced + rewritten.replaced} files were replaced")
    assert(pruned.get > all / 2 && vanished.get < all / 2)
  }
}

object ConcurrencySuite {
  private final val Threads = 16
  private final val LakeFiles = 6

  /** The number of keys in the files. Even keys are in the files, odd ones are not. */
  private final val Keys = 6 * TestFiles.RowsPerGroup * 3

  private sealed abstract class Outcome
  private case object Vanished extends Outcome
  private final case class Answered(files: Int) extends Outcome

  private def hash(key: Int): Long = key * 0x9e3779b97f4a7c15L

  /**
   * A folder whose files have the same keys in every generation, each time in other row groups.
   *
   * @param renames whether a new generation has another name, so that readers may see the old one
   *   vanish; otherwise it replaces the old one while nobody reads
   */
  private final class Lake(folder: File, renames: Boolean) {
    private val lock = new ReentrantReadWriteLock(true)
    private val generations = Array.fill(LakeFiles)(new AtomicInteger(-1))
    @volatile var replaced = 0

    folder.mkdirs()
    (0 until LakeFiles).foreach(replace)

    def replace(file: Int): Unit = {
      val next = generations(file).get + 1
      val written = write(file, next)
      // keeps the previous generation: a listing silently omits files deleted in the meantime
      val (old, fresh) = (named(file, next - 2), named(file, next))
      if (renames) {
        Files.move(written.toPath, fresh.toPath, StandardCopyOption.ATOMIC_MOVE)
        generations(file).set(next)
        old.delete()
      } else {
        lock.writeLock.lock()
        try {
          Files.move(written.toPath, fresh.toPath, StandardCopyOption.ATOMIC_MOVE)
          generations(file).set(next)
        } finally lock.writeLock.unlock()
      }
      replaced += 1
    }

    private def named(file: Int, generation: Int): File =
      new File(folder, if (renames) s"part-$file-$generation.parquet" else s"part-$file.parquet")

    private def write(file: Int, generation: Int): File = {
      val keys = (0 until Keys / LakeFiles).map(n => 2 * (file * Keys / LakeFiles + n))
      val shuffled = new Random(generation).shuffle(keys)
      val path = TestFiles.write(
        "message m { required int64 key; required int32 number; required int32 generation; }",
        TestFiles.Style(filters = Map("key" -> 100)),
        shuffled.iterator.map(number =>
          (g: Group) => {
            g.append("key", hash(number))
              .append("number", number)
              .append("generation", generation)
            ()
          })
      )
      path.toFile
    }

    /** Looks up keys: the rows must have each present key, in a generation of that time. */
    def check(session: SparkSession, wanted: Seq[Int]): Outcome = {
      if (!renames) lock.readLock.lock()
      try {
        val from = generations.map(_.get)
        val found = Try {
          val df = session.read
            .schema("key bigint, number int, generation int")
            .parquet(folder.getPath)
            .where(wanted.map(hash).mkString("key IN (", "L, ", "L)"))
          (df.collect().map(r => (r.getInt(1), r.getInt(2))).toSeq, df.inputFiles.length)
        }
        found match {
          case Success((rows, files)) =>
            val until = generations.map(_.get)
            val wrong = wanted.filterNot(isRight(_, rows, from, until))
            if (wrong.nonEmpty) throw new AssertionError(s"$wrong of $wanted in $rows")
            Answered(files)
          case Failure(e) if renames && isMissingFile(e) => Vanished
          case Failure(e) => throw e
        }
      } finally if (!renames) lock.readLock.unlock()
    }

    private def isRight(
        key: Int,
        rows: Seq[(Int, Int)],
        from: Array[Int],
        until: Array[Int]): Boolean = {
      val seen = rows.collect { case (`key`, generation) => generation }
      if (key % 2 != 0) seen.isEmpty
      else {
        val file = key / 2 / (Keys / LakeFiles)
        // while one generation replaces another, three exist
        val (oldest, latest) =
          if (renames) (from(file) - 2, until(file) + 1) else (from(file), until(file))
        seen.nonEmpty && seen.distinct == seen && seen.forall(g => g >= oldest && g <= latest) &&
        (renames || seen.size == 1)
      }
    }
  }

  private def isMissingFile(e: Throwable): Boolean =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).exists { cause =>
      cause.isInstanceOf[FileNotFoundException] ||
      String.valueOf(cause.getMessage).contains("does not exist")
    }
}
