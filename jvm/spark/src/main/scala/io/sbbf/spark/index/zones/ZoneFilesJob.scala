package io.sbbf.spark.index.zones

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration
import org.apache.spark.{HashPartitioner, TaskContext}

import io.sbbf.index.build.SegmentBuild
import io.sbbf.index.format.StoredZones.{Part, Rule, Slab}
import io.sbbf.index.format.{StoredTable, StoredZones}
import io.sbbf.index.zones.{SlabPartWriter, Zone, ZonePlan, ZoneTable}
import io.sbbf.spark.index.zones.ZoneFiles.{PartOf, Place, TableOf}
import io.sbbf.spark.table.TableTasks
import io.sbbf.spark.util.ClosureBytes.{pack, unpack}

/**
 * Builds the zones of files and writes them, as one Spark job. A task holds the filters of a column
 * chunk, or some 64 MB of a slab.
 *
 * @param plan the zones of the files
 * @param checksVersions whether files must still be the listed versions
 */
private[index] final class ZoneFilesJob(
    session: SparkSession,
    tasks: TableTasks,
    hadoopConf: Configuration,
    plan: ZonePlan,
    checksVersions: Boolean) {
  import ZoneFilesJob._

  /**
   * Writes the zones of all columns. Returns them by column, and why some files could not be read,
   * by their numbers. Filters of these files stay in the slabs, where they count for nothing.
   *
   * @param files the files of the segment
   */
  def run(
      build: SegmentBuild,
      files: IndexedSeq[FileStatus]): (Seq[StoredZones], Map[Int, String]) = {
    val places = new ZoneFiles(plan.slabs.toVector)
    val toRead = files.indices.map { n =>
      new FileToZone(plan.rule, n, files(n), build.firstRowGroup(n), plan.ofFile(n))
    }
    val written = runJob(places, toRead, build.folder.toString)
    val stored = places.slabs.zipWithIndex.map { case (slabs, column) =>
      val parts = written.collect { case Written(PartOf(`column`, slab, _), Left(part), _) =>
        slab -> part
      }
      StoredZones(
        written.collectFirst { case Written(TableOf(`column`), Right(table), _) => table }.get,
        plan.rule,
        slabs.zipWithIndex.map { case (layout, n) =>
          val own = parts.collect { case (`n`, part) => part }
          Slab(layout.filterBytes, layout.filters, own.sortBy(_.firstBlock))
        }
      )
    }
    (stored, written.flatMap(_.failed).toMap)
  }

  private def runJob(places: ZoneFiles, toRead: Seq[FileToZone], to: String): Seq[Written] = {
    val (checked, ofZones) = (checksVersions, plan.rule)
    val shared = session.sparkContext.broadcast(new SerializableConfiguration(hadoopConf))
    try
      tasks.run(toRead.map(pack(_)), "zones") { (some, table) =>
        some.flatMap(unpack[FileToZone](_).values(table, checked, places))
      } {
        _.partitionBy(new HashPartitioner(places.size)) // an Int is its own hash
          .mapPartitionsWithIndex { (n, values) =>
            val writer = new Writer(places, ofZones, new Path(to), shared.value.value)
            Iterator(pack(writer.write(places(n), values.map(_._2))))
          }
          .collect()
          .toSeq
          .map(unpack[Written](_))
      }
    finally shared.destroy()
  }
}

private[zones] object ZoneFilesJob {

  /**
   * A file of a segment.
   *
   * @param failed the files of the table that could not be read, with the reasons
   */
  final case class Written(
      place: Place,
      file: Either[Part, StoredTable],
      failed: Map[Int, String])

  /** Writes a file of a segment in a task. */
  private final class Writer(files: ZoneFiles, rule: Rule, folder: Path, conf: Configuration) {
    private val failed = mutable.HashMap.empty[Int, String]
    private val attempt = TaskContext.get().taskAttemptId()

    def write(place: Place, values: Iterator[AnyRef]): Written = {
      val file = place match {
        case TableOf(column) => Right(table(column, values))
        case PartOf(column, slab, part) => Left(this.part(column, slab, part, values))
      }
      Written(place, file, failed.toMap)
    }

    private def part(column: Int, slab: Int, number: Int, values: Iterator[AnyRef]): Part = {
      val layout = files.slabs(column)(slab)
      val writer = new SlabPartWriter(layout, number)
      values.foreach {
        case (filter: Int, piece: Array[Byte]) => writer.add(filter, piece)
        case other => fail(other)
      }
      val name = s"_slab-$column-${layout.filterBytes}-$number-$attempt.parquet"
      writer.write(new Path(folder, name), conf)
    }

    private def table(column: Int, values: Iterator[AnyRef]): StoredTable = {
      val zones = new ArrayBuffer[Zone]
      values.foreach {
        case fields: Array[Long] => zones += FileToZone.unpacked(fields)
        case other => fail(other)
      }
      // the table of files lists only those that could be read
      val kept = zones
        .filterNot(zone => failed.contains(zone.file))
        .sortBy(zone => (zone.rowGroup, zone.start))
        .map(zone => zone.copy(file = zone.file - failed.keys.count(_ < zone.file)))
      val path = new Path(folder, s"_zones-$column-$attempt.parquet")
      ZoneTable.write(kept.iterator, rule, path, conf)
    }

    private def fail(value: AnyRef): Unit = value match {
      case (number: Int, why: String) => failed(number) = why
      case _ => throw new IllegalStateException("unexpected value of a task")
    }
  }
}
