package io.sbbf.index.zones

import java.nio.file.Paths

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.bloom.{SplitBlockBloomFilter, XxHash64}
import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.index.testing.IndexedFolder.kept
import io.sbbf.index.testing.ZonedTable
import io.sbbf.index.testing.ZonedTable._
import io.sbbf.parquet.chunk.FilterState
import io.sbbf.parquet.testing.{TestFile, TestFiles}

/** Compares the files of zones with the row groups and the filters that they are built from. */
class ZoneFilesSuite extends AnyFunSuite {
  private val conf = new Configuration(false)

  test("the table of zones has a row for each run of rows, none across a row group") {
    for ((items, lengths) <- Seq(
        64 -> Seq(64L, 36L),
        0 -> Seq(100L),
        1000 -> Seq(100L),
        50 -> Seq(50L, 50L))) {
      val cut = new ZonedTable
      cut.add(scattered(0, 200))
      cut.add(scattered(200, 100))
      cut.addZones(Seq("id"), items)
      val folder = cut.index.folder
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

  test("transposed filters answer as the files' own do, for every key of 100,000") {
    val own = new ZonedTable
    // filters of two sizes, and a file without any
    own.add(scattered(0, 1000), Map("id" -> 100, "name" -> 100))
    own.add(scattered(1000, 300), Map("id" -> 10))
    own.add(scattered(2000, 200))
    val manifest = own.addOwnFilters(Seq("id", "name"))
    val stored = manifest.columns.head.zones.get
    assert(stored.slabs.map(s => s.filters).sum == 13)
    val column = ZoneColumn
      .open(stored, own.index.folder.segment(manifest.id), manifest.rowGroups, conf)
    val filters = own.all.map(f => new TestFile(Paths.get(f.getPath.toUri))).flatMap { file =>
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
    val own = new ZonedTable
    own.add(scattered(0, 400), Map("name" -> 100))
    own.addOwnFilters(Seq("name"))
    assert(kept(own.prune(Leaf(Seq("name"), IsNull))) == Seq(2))
  }
}
