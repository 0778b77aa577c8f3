package io.sbbf.index.testing

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.index.build._
import io.sbbf.index.format.{IndexFolder, IndexPlace, SegmentManifest, StoredPart}
import io.sbbf.parquet.hashes.FileHashes
import io.sbbf.parquet.input.FileStore

/** Builds segments in the thread of a test. */
final class LocalIndex(table: Path, conf: Configuration) {
  val place: IndexPlace = IndexPlace.of(table, "", conf)
  val folder: IndexFolder = place.folder(conf)

  private def reading[T](file: FileStatus)(use: FileHashes => T): T = {
    val hashes =
      new FileHashes(file, conf, FileStore.hadoop(conf), table = None, checksVersion = true)
    try use(hashes)
    finally hashes.close()
  }

  /**
   * Builds a segment of some columns of some files.
   *
   * @param failed the numbers of files to leave out after their keys were read
   */
  def add(
      files: Seq[FileStatus],
      columns: Seq[String],
      replaces: Seq[String] = Nil,
      failed: Set[Int] = Set.empty): SegmentManifest = {
    val now = System.currentTimeMillis
    val facts = files.map(reading(_)(_.facts(columns)))
    val read = files.zip(facts).map { case (f, of) => SegmentFile.of(f, of, now) }.toIndexedSeq
    val sizes = columns.indices.map(c => ColumnSize(facts.map(_.columns(c).values).sum))
    val build = new SegmentBuild(place, columns, read, sizes, conf)
    val runs = mutable.HashMap.empty[(Int, Int), Vector[Array[Long]]]
    for {
      n <- files.indices
      rowGroup <- 0 until read(n).rowGroups
      (column, source) <- build.toRead(n)
    } {
      val hashes = reading(files(n))(_.hashesOf(rowGroup, source))
      val packing = build.packings(column)
      packing.byPart(packing.pack(hashes, build.firstRowGroup(n) + rowGroup)).foreach {
        case (part, packed) =>
          runs((column, part)) = runs.getOrElse((column, part), Vector.empty) :+ packed
      }
    }
    val parts = columns.indices.map { column =>
      runs.toSeq.collect { case ((`column`, part), of) => part -> of }.flatMap {
        case (part, of) => written(build, build.packings(column), s"$column-$part", of)
      }
    }
    build.commit(parts, failed, replaces)
  }

  private def written(
      build: SegmentBuild,
      packing: KeyPacking,
      name: String,
      runs: Seq[Array[Long]]): Option[StoredPart] =
    new KeyPartBuilder(packing, build.rowGroups)
      .write(runs.iterator, new Path(build.folder, s"_keys-$name.parquet"), conf)
}
