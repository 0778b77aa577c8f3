package io.sbbf.index.testing

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.index.build.{SegmentBuild, SegmentFile}
import io.sbbf.index.format.{IndexPlace, SegmentManifest, StoredZones}
import io.sbbf.index.zones._
import io.sbbf.parquet.hashes.{FileHashes, FileZones}
import io.sbbf.parquet.input.FileStore

/** Builds segments with zones in the thread of a test. */
final class LocalZones(place: IndexPlace, conf: Configuration) {
  private val store = FileStore.hadoop(conf)

  private def closing[R <: AutoCloseable, T](resource: R)(use: R => T): T =
    try use(resource)
    finally resource.close()

  def add(
      files: Seq[FileStatus],
      columns: Seq[String],
      rule: StoredZones.Rule,
      failed: Set[Int] = Set.empty): SegmentManifest = {
    val now = System.currentTimeMillis
    val facts = files.map { file =>
      closing(new FileHashes(file, conf, store, None, checksVersion = true))(_.facts(columns))
    }.toIndexedSeq
    val known = files.zip(facts).map { case (f, of) => SegmentFile.of(f, of, now) }
    val build = new SegmentBuild(place, columns, known.toIndexedSeq, Nil, conf)
    val plan = new ZonePlan(rule, columns.size, facts)
    val rows = columns.map(_ => mutable.ArrayBuffer.empty[Zone])
    val writers =
      plan.slabs.map(_.map(slab => (0 until slab.numParts).map(new SlabPartWriter(slab, _))))
    for (n <- files.indices if !failed(n))
      closing(new FileZones(files(n), conf, store, None, checksVersion = true)) { zones =>
        val builder = new ZoneBuilder(rule, zones, n, build.firstRowGroup(n), plan.slabs)
        for (of <- plan.ofFile(n); g <- 0 until known(n).rowGroups)
          builder.build(of, g, rows(of.column) += _) { (slab, part, filter, piece) =>
            writers(of.column)(slab)(part).add(filter, piece)
          }
        zones.check()
      }
    val stored = columns.indices.map { c =>
      val table =
        ZoneTable.write(
          rows(c).iterator,
          rule,
          new Path(build.folder, s"_zones-$c.parquet"),
          conf)
      val slabs = plan.slabs(c).zip(writers(c)).map { case (slab, of) =>
        val parts = of.zipWithIndex.map { case (writer, n) =>
          val name = s"_slab-$c-${slab.filterBytes}-$n.parquet"
          writer.write(new Path(build.folder, name), conf)
        }
        StoredZones.Slab(slab.filterBytes, slab.filters, parts)
      }
      StoredZones(table, rule, slabs)
    }
    build.commitZones(stored, failed, replaces = Nil)
  }
}
