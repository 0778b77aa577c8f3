package io.sbbf.index.format

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

class SegmentManifestSuite extends AnyFunSuite {
  private val part = StoredPart("_keys-0-0-1.parquet", 1000, 900, 123, 50, 70, 5, 1L << 40)
  private val manifest = SegmentManifest(
    "a-b",
    1700000000000L,
    40,
    StoredTable("_files.parquet", 300, 10, 77),
    Seq(IndexedColumn("st.ä", 33, Seq(part)), IndexedColumn("empty", 13, Nil)),
    Seq("c", "d"))

  test("a manifest is read as it was written") {
    assert(SegmentManifest.of(manifest.toJson) == manifest)
    val source = manifest.copy(readAs = Some("csv-00ff"))
    assert(SegmentManifest.of(source.toJson) == source)
  }

  test("zones are read as they were written, and count with their slabs") {
    val slabs = Seq(64 -> 1, 1024 -> 100).map { case (bytes, filters) =>
      val half = bytes / 64
      val part = StoredZones.Part("slab.parquet", 5000L + bytes, 0, half, 1L << 33, 700)
      StoredZones.Slab(bytes, filters, Seq(part, part.copy(firstBlock = half)))
    }
    val table = StoredTable("zones.parquet", 400, 101, 5)
    val zones = Seq(
      StoredZones(table, StoredZones.Rule(8192, 0.00057, fromFilters = false), slabs),
      StoredZones(table, StoredZones.Rule(0, 0, fromFilters = true), Nil))
    val filtered =
      manifest.copy(columns = zones.zipWithIndex.map { case (z, n) =>
        IndexedColumn.ofZones(s"c$n", z)
      })
    assert(SegmentManifest.of(filtered.toJson) == filtered)
    assert(filtered.columns.map(_.kind).distinct == Seq("bloom"))
    assert(filtered.columns.map(_.entries) == Seq(101, 101))
    assert(filtered.bytes == 300 + 2 * 400 + 2 * 5064 + 2 * 6024)
  }

  test("slabs without all blocks, or two of one size, are errors") {
    val part = StoredZones.Part("slab.parquet", 5000L, 0, 4, 100L, 700)
    val table = StoredTable("zones.parquet", 400, 101, 5)
    def read(slabs: StoredZones.Slab*) = {
      val zones =
        StoredZones(table, StoredZones.Rule(8192, 0.00057, fromFilters = false), slabs)
      val stored = manifest.copy(columns = Seq(IndexedColumn.ofZones("a", zones))).toJson
      SegmentManifest.of(stored).columns
    }
    assert(read(StoredZones.Slab(128, 1, Seq(part))).size == 1)
    Seq(
      Seq(StoredZones.Slab(256, 1, Seq(part))),
      Seq(StoredZones.Slab(256, 1, Seq(part, part.copy(firstBlock = 5)))),
      Seq(StoredZones.Slab(128, 1, Seq(part.copy(firstBlock = 1)))),
      Seq(StoredZones.Slab(96, 1, Seq(part.copy(blocks = 3)))),
      Seq(StoredZones.Slab(128, 1, Seq(part)), StoredZones.Slab(128, 2, Seq(part)))
    ).foreach(slabs => intercept[java.io.IOException](read(slabs: _*)))
  }

  test("a changed byte is an error") {
    val json = manifest.toJson
    for (at <- json.indices; bit <- 0 until 8) {
      val changed = json.clone()
      changed(at) = (changed(at) ^ (1 << bit)).toByte
      val read = Try(SegmentManifest.of(changed))
      assert(read.failed.toOption.forall(_.isInstanceOf[IOException]), s"byte $at")
      assert(read.toOption.forall(_ == manifest), s"byte $at, bit $bit")
    }
  }

  test("a manifest of another version, a part of one and other texts are errors") {
    val text = new String(manifest.toJson, UTF_8)
    for (wrong <- Seq(
        "",
        "{}",
        "[]",
        text.take(text.length / 2),
        text.replace("\"version\":2", "")))
      intercept[IOException](SegmentManifest.of(wrong.getBytes(UTF_8)))
  }

  test("a segment that another one replaces is not current") {
    def of(id: String, at: Long, replaces: String*) =
      manifest.copy(id = id, createdAt = at, replaces = replaces)
    val all = Seq(of("old", 1), of("merged", 3, "old", "older"), of("older", 0), of("next", 4))
    assert(SegmentManifest.current(all).map(_.id) == Seq("next", "merged"))
  }
}
