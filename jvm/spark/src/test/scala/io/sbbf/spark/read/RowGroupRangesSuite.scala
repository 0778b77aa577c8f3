package io.sbbf.spark.read

import java.io.Closeable
import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.pushdown.PushdownLevel

class RowGroupRangesSuite extends AnyFunSuite {

  private def split(start: Long, length: Long, ranges: Long*): PartitionedFile =
    PartitionedFile(
      InternalRow.empty,
      SparkPath.fromPathString("/nowhere/f"),
      start,
      length,
      Array.empty,
      5L,
      1000L,
      Map(RowGroupRanges.Key -> ranges.toArray))

  test("a split reads the parts of the ranges that are inside it.") {
    val ranges = Seq(10L, 11L, 50L, 151L, 900L, 901L)
    assert(
      RowGroupRanges
        .within(split(0, 100, ranges: _*), ranges.toArray) == Seq((10L, 11L), (50L, 100L)))
    assert(
      RowGroupRanges.within(split(100, 100, ranges: _*), ranges.toArray) == Seq((100L, 151L)))
    assert(RowGroupRanges.within(split(200, 100, ranges: _*), ranges.toArray).isEmpty)
    assert(
      RowGroupRanges.within(split(300, 700, ranges: _*), ranges.toArray) == Seq((900L, 901L)))
  }

  test("every midpoint in a range belongs to exactly one split.") {
    val random = new scala.util.Random(7)
    (0 until 200).foreach { _ =>
      val cuts =
        (0L +: Seq.fill(random.nextInt(6))(random.nextInt(1000).toLong) :+ 1000L).distinct.sorted
      val points = Seq.fill(8)(random.nextInt(1000).toLong).distinct.sorted
      val ranges = points.grouped(2).collect { case Seq(a, b) => Seq(a, b + 1) }.flatten.toArray
      val parts = cuts.zip(cuts.tail).flatMap { case (a, b) =>
        RowGroupRanges.within(split(a, b - a), ranges)
      }
      (0L until 1000L).foreach { point =>
        val wanted = ranges.grouped(2).exists { case Array(a, b) => a <= point && point < b }
        assert(parts.count { case (a, b) => a <= point && point < b } == (if (wanted) 1 else 0))
      }
    }
  }

  /** Records which reader reads which split. */
  private final class Recorder {
    var seen: Option[(String, PartitionedFile)] = None

    def read(split: PartitionedFile): PartitionedFile = {
      def reader(name: String)(split: PartitionedFile): Iterator[InternalRow] = {
        seen = Some(name -> split)
        Iterator.empty
      }
      val readers =
        new RowGroupRanges.Readers(
          reader("any file"),
          reader("as declared"),
          reader("safe columns"),
          reader("unchecked"))
      RowGroupRanges.read(split, readers, new Configuration)
      seen.get._2
    }
  }

  test("Spark's reader gets the unchanged split of a missing file.") {
    val whole = split(0, 1000, 10L, 11L)
    assert(new Recorder().read(whole) == whole)
  }

  test("each pushdown level has its reader, and a replaced file is read without filters.") {
    val file = TestFiles.fresh().toFile
    Files.write(file.toPath, new Array[Byte](1000))
    def of(level: PushdownLevel, modified: Long, ranges: Long*) = {
      val recorder = new Recorder
      recorder.read(
        split(0, 1000).copy(
          filePath = SparkPath.fromPath(new Path(file.toURI)),
          modificationTime = modified,
          otherConstantMetadataColumnValues = Map(RowGroupRanges.LevelKey -> level.toString) ++
            (if (ranges.isEmpty) None else Some(RowGroupRanges.Key -> ranges.toArray))
        ))
      recorder.seen.map { case (reader, split) => (reader, split.start, split.length) }
    }
    val now = file.lastModified
    for ((level, reader) <- Seq(
        (PushdownLevel.AnyFile, "any file"),
        (PushdownLevel.AsDeclared, "as declared"),
        (PushdownLevel.SafeColumns, "safe columns"),
        (PushdownLevel.Nothing, "unchecked")
      )) {
      assert(of(level, now).contains((reader, 0L, 1000L)))
      assert(of(level, now, 10L, 11L).contains((reader, 10L, 1L)))
      assert(of(level, now - 1, 10L, 11L).contains(("unchecked", 0L, 1000L)))
    }
    for (level <- Seq(PushdownLevel.AsDeclared, PushdownLevel.SafeColumns))
      assert(of(level, now - 1).contains(("unchecked", 0L, 1000L)))
    // planning recorded no evidence about such a file, so its version does not matter
    assert(of(PushdownLevel.AnyFile, now - 1).contains(("any file", 0L, 1000L)))
    file.delete()
  }

  test("a file with another length or modification time is read whole, as it is now.") {
    val file = TestFiles.fresh().toFile
    Files.write(file.toPath, new Array[Byte](2000))
    val now = SparkPath.fromPath(new Path(file.toURI))
    def read(s: PartitionedFile): PartitionedFile = new Recorder().read(s)
    val replaced = read(split(0, 1000, 10L, 11L).copy(filePath = now))
    assert(replaced.start == 0 && replaced.length == 2000 && replaced.fileSize == 2000)
    val part = read(split(100, 200, 110L, 111L).copy(filePath = now))
    assert(part.start == 100 && part.length == 200)
    val same = read(
      split(0, 2000, 10L, 11L)
        .copy(filePath = now, fileSize = 2000, modificationTime = file.lastModified))
    assert(same.start == 10 && same.length == 1)
    file.delete()
  }

  test("chained iterators open in turn, and closing the chain closes the open one.") {
    var log = Seq.empty[String]
    def part(n: Int): () => Iterator[Any] = () => {
      log :+= s"open $n"
      new Iterator[Any] with Closeable {
        private val rows = Iterator(n, n)
        def hasNext: Boolean = rows.hasNext
        def next(): Any = rows.next()
        def close(): Unit = log :+= s"close $n"
      }
    }
    val chained = new ChainedRows(Iterator(part(1), part(2), part(3)))
    assert(chained.take(3).toSeq == Seq(1, 1, 2))
    chained.close()
    assert(log == Seq("open 1", "close 1", "open 2", "close 2"))
  }
}
