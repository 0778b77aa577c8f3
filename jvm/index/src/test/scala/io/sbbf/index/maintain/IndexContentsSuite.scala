package io.sbbf.index.maintain

import java.io.File
import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.index.testing.LocalIndex
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.parquet.testing.TestFiles.Style

/** Maintains indexes of tables whose files hold one row group each. */
class IndexContentsSuite extends AnyFunSuite {
  private val conf = new Configuration(false)
  private val Hour = 3600L * 1000

  private final class Table(files: Int) {
    val folder: File = TestFiles.folder().toFile
    val index = new LocalIndex(new Path(folder.toURI.toString.stripSuffix("/")), conf)
    val all: IndexedSeq[FileStatus] = (0 until files).map { n =>
      val file = new File(folder, s"$n.parquet")
      TestFiles.write(
        "message table { required int64 id; required int64 other; }",
        Style(),
        Iterator.tabulate(10) { i => row =>
          row.add("id", 100L * n + i)
          row.add("other", i.toLong)
        },
        file.toPath
      )
      file.setLastModified(1000L)
      new FileStatus(file.length, false, 1, 1L << 20, 1000L, new Path(file.toURI))
    }
    def contents: IndexContents = IndexContents.read(index.place, conf)
    def missing(columns: String*): Seq[FileStatus] = contents.extension(all, columns).toRead
    def ids: Set[String] = index.folder.segments().map(_.getPath.getName).toSet
  }

  test("files are missing until a segment knows them with all columns") {
    val table = new Table(3)
    assert(table.missing("id") == table.all)
    table.index.add(table.all.take(2), Seq("id"))
    assert(table.missing("id") == table.all.drop(2))
    assert(table.missing("id", "other") == table.all)
    table.index.add(table.all, Seq("other"))
    assert(table.missing("id", "other") == table.all.drop(2))
    val Seq(other, id) = table.contents.info(table.all)
    assert(id.column == "id" && id.files == 2 && id.keys == 20 && id.segments == 1)
    assert(other.column == "other" && other.files == 3 && other.entries == 30)
  }

  test(
    "an index is fragmented by its segments and by files that are gone, until it is replaced") {
    val table = new Table(8)
    (0 until 7).foreach(n => table.index.add(table.all.slice(n, n + 1), Seq("id")))
    assert(!table.contents.isFragmented(table.all))
    assert(table.contents.isFragmented(table.all.take(4)))
    table.index.add(table.all.drop(7), Seq("id"))
    assert(table.contents.isFragmented(table.all))
    table.index.add(table.all, Seq("id"), replaces = table.ids.toSeq)
    assert(
      !table.contents
        .isFragmented(table.all) && table.contents.info(table.all).head.segments == 1)
    assert(table.contents.info(table.all).map(_.keys) == Seq(80))
  }

  test("a sweep deletes replaced segments after an hour and incomplete ones after a day alone") {
    val table = new Table(2)
    val old = table.index.add(table.all, Seq("id"))
    val merged = table.index.add(table.all, Seq("id"), replaces = Seq(old.id))
    val begun = new File(table.folder, "_sbbf/begun")
    begun.mkdirs()
    val damaged = table.index.add(table.all, Seq("other"))
    val manifest = new File(table.folder, s"_sbbf/${damaged.id}/_segment.json")
    Files.write(manifest.toPath, Array[Byte](1, 2, 3))
    new File(manifest.getParentFile, "._segment.json.crc").delete()
    val now = System.currentTimeMillis
    // time of the sweep; segments that are left
    for ((time, left) <- Seq(
        now -> Set(old.id, merged.id, "begun", damaged.id),
        (now + Hour + 60000) -> Set(merged.id, "begun", damaged.id),
        (now + 24 * Hour + 60000) -> Set(merged.id, damaged.id))) {
      table.contents.sweep(time)
      assert(table.ids == left)
    }
  }

  test("a manifest in the folder of another segment is not used") {
    val table = new Table(1)
    val segment = table.index.add(table.all, Seq("id"))
    val copy = new File(table.folder, "_sbbf/copy")
    copy.mkdirs()
    new File(table.folder, s"_sbbf/${segment.id}").listFiles
      .filter(!_.getName.startsWith("."))
      .foreach(f => Files.copy(f.toPath, copy.toPath.resolve(f.getName)))
    assert(table.contents.bytes == segment.bytes)
  }
}
