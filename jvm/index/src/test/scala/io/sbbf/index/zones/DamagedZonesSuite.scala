package io.sbbf.index.zones

import java.io.File
import java.nio.file.Files

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.index.testing.IndexedFolder.kept
import io.sbbf.index.testing.ZonedTable
import io.sbbf.index.testing.ZonedTable._
import io.sbbf.parquet.testing.TestFiles

/** Looks keys up in filters of zones with damage. */
class DamagedZonesSuite extends AnyFunSuite {
  private val seed = TestFiles.seed()
  private val random = new Random(seed)

  test("damaged zones lose no row, and zones that are gone count as missing") {
    val damaged = new ZonedTable
    Seq(0L, 1000L).foreach(n => damaged.add(scattered(n, 200)))
    damaged.addZones(Seq("id", "name"), items = 50)
    val folder = new File(damaged.index.folder.segments().head.getPath.toUri)
    folder.listFiles.filter(_.getName.endsWith(".crc")).foreach(_.delete())
    val files = folder.listFiles
    val all = damaged.rows.flatten
    var used = 0
    for (_ <- 0 until 600 / TestFiles.stride) {
      val file = files(random.nextInt(files.length))
      val bytes = Files.readAllBytes(file.toPath)
      val at = random.nextInt(bytes.length)
      val flipped = bytes.clone()
      flipped(at) = (flipped(at) ^ (1 << random.nextInt(8))).toByte
      Files.write(file.toPath, flipped)
      damaged.cache.forget(damaged.index.place.index)
      val row = all(random.nextInt(all.size))
      val predicate = Or(id(row.id) +: row.name.map(name).toSeq)
      val pruned = damaged.prune(predicate)
      val expected = damaged.holding(_.id == row.id)
      assert(
        kept(pruned).zip(expected).forall { case (a, b) => a >= b },
        s"${file.getName}, byte $at, seed $seed")
      if (pruned.index.segments > 0) used += 1
      Files.write(file.toPath, bytes)
    }
    info(s"$used damaged indexes were still searched")
    assert(used > 0)
    for (gone <- files
      if gone.getName.startsWith("_slab-") || gone.getName.startsWith("_zones-")) {
      gone.delete()
      damaged.cache.forget(damaged.index.place.index)
      assert(kept(damaged.prune(And(Seq(id(all.head.id), Leaf(Seq("name"), IsNotNull)))))(0) >= 1)
    }
  }
}
