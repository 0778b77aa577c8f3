package io.sbbf.index.maintain

import java.io.{File, IOException}

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.index.testing.LocalIndex
import io.sbbf.parquet.testing.TestFiles.Style
import io.sbbf.parquet.testing.{Faults, SteppedFileSystem, TestFiles}

/**
 * Whatever step of a change of an index fails, each segment that lookups search is complete, and the
 * same change succeeds later.
 */
class SegmentFaultsSuite extends AnyFunSuite {
  private val random = new Random(TestFiles.seed())
  private val Later = System.currentTimeMillis + 7L * 24 * 3600 * 1000

  private val conf = {
    val conf = new Configuration(false)
    conf.set("fs.steps.impl", classOf[SteppedFileSystem].getName)
    conf
  }

  /** Two files, of which a segment knows the first one. A folder of a dead builder is there too. */
  private final class Table {
    private val folder = TestFiles.folder().toFile
    val all: IndexedSeq[FileStatus] = (0 until 2).map { n =>
      val file = new File(folder, s"$n.parquet")
      TestFiles.write(
        "message table { required int64 id; required int64 other; }",
        Style(),
        Iterator.tabulate(200) { i => row =>
          row.add("id", 1000L * n + i)
          row.add("other", i.toLong)
        },
        file.toPath
      )
      file.setLastModified(1000L)
      new FileStatus(file.length, false, 1, 1L << 20, 1000L, new Path(s"steps://$file"))
    }
    val index = new LocalIndex(new Path(s"steps://$folder"), conf)
    val first: String = index.add(all.take(1), Columns).id
    new File(folder, s"_sbbf/${java.util.UUID.randomUUID}").mkdirs()

    def contents: IndexContents = IndexContents.read(index.place, conf)
    def missing: Seq[FileStatus] = contents.extension(all, Columns).toRead
    def ids: Seq[String] = index.folder.segments().map(_.getPath.getName)
    def exists: Boolean = new File(folder, "_sbbf").exists
    def folders: Int = Option(new File(folder, "_sbbf").list).fold(0)(_.length)
  }

  private val Columns = Seq("id", "other")

  /**
   * @param run the change
   * @param isDone whether nothing is left to do
   * @param leastKnown the files that lookups have to find in the index whatever fails
   */
  private case class Change(
      name: String,
      run: Table => Unit,
      isDone: Table => Boolean,
      leastKnown: Int)

  private val changes = Seq(
    Change(
      "a new segment",
      t => if (t.missing.nonEmpty) t.index.add(t.missing, Columns),
      _.missing.isEmpty,
      leastKnown = 1),
    Change(
      "a segment that replaces all others",
      t => { t.index.add(t.all, Columns, replaces = t.ids); () },
      t => t.missing.isEmpty && t.contents.info(t.all).forall(_.segments == 1),
      leastKnown = 1
    ),
    Change("a sweep", _.contents.sweep(Later), _.folders == 1, leastKnown = 2),
    Change("a drop", _.index.folder.drop(), !_.exists, leastKnown = 0)
  )

  for {
    change <- changes
    (fault, faultAt) <- Seq[(String, Int => Faults)](
      "step that fails" -> ((n: Int) => new Faults { failsAt = n }),
      "step at which the process dies" -> ((n: Int) => new Faults { diesAt = n }))
  }
    test(s"${change.name} leaves complete segments, whatever is the $fault") {
      var n = 1 + random.nextInt(TestFiles.stride)
      var reached = true
      while (reached) {
        val table = new Table
        if (change.name == "a sweep") table.index.add(table.all, Columns, Seq(table.first))
        val faults = faultAt(n)
        try Faults.during(faults)(change.run(table))
        catch { case _: IOException => }
        reached = faults.happened
        val contents = table.contents
        assert(contents.damaged.isEmpty, s"step $n")
        assert(table.all.size - table.missing.size >= change.leastKnown, s"step $n")
        change.run(table)
        assert(change.isDone(table) && table.contents.damaged.isEmpty, s"step $n")
        n += TestFiles.stride
      }
      info(s"$n steps")
      assert(n > 3 && n < 200)
    }

  test("a full disk fails the build with its reason, and nothing is committed") {
    val table = new Table
    for (bytes <- Seq(0L, 100L, 1000L)) {
      val full = new Faults { maxBytes = bytes }
      val error = intercept[IOException](Faults.during(full)(table.index.add(table.all, Columns)))
      assert(error.getMessage.contains("No space left"), s"$bytes bytes")
      assert(full.streams.get == 0, s"$bytes bytes")
      assert(table.contents.info(table.all).map(_.segments) == Seq(1, 1), s"$bytes bytes")
    }
  }

  test("a segment that another one replaces while a sweep deletes it is gone for both") {
    val table = new Table
    table.index.add(table.all, Columns, Seq(table.first))
    val contents = table.contents
    var isFirst = true
    val twice = new Faults {
      besides = (what: String) =>
        if (what == "delete" && isFirst) {
          isFirst = false
          contents.sweep(Later)
        }
    }
    Faults.during(twice)(table.contents.sweep(Later))
    assert(!isFirst && table.folders == 1 && table.missing.isEmpty)
  }
}
