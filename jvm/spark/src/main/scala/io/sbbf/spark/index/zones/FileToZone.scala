package io.sbbf.spark.index.zones

import java.util.concurrent.atomic.AtomicReference

import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.TaskContext

import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.index.zones.{ColumnZones, Zone, ZoneBuilder}
import io.sbbf.parquet.hashes.FileZones
import io.sbbf.parquet.model.RecoverableError
import io.sbbf.spark.index.zones.ZoneFiles.{PartOf, TableOf}
import io.sbbf.spark.table.OpenedTable

/**
 * A file whose zones a task builds. Serializable.
 *
 * @param number its number in the segment
 * @param firstRowGroup the number of its first row group in the segment
 */
private[zones] final class FileToZone(
    rule: Rule,
    number: Int,
    status: FileStatus,
    firstRowGroup: Int,
    columns: Seq[ColumnZones])
    extends Serializable {
  import FileToZone._

  /**
   * Returns rows of tables (`Array[Long]`) and pieces of filters (`(Int, Array[Byte])`) by their
   * partition, one column chunk after the other, in the listed version of the file.
   *
   * If the file cannot be read to its end, the last value of each partition is the failure
   * (`(Int, String)`). It goes to all of them: if Spark loses the output of this task and runs it
   * again, some partitions may have been read from the first run.
   */
  def values(
      table: OpenedTable,
      checksVersion: Boolean,
      files: ZoneFiles): Iterator[(Int, AnyRef)] = {
    // the listener outlives the file, and must not hold what was read of it
    val opened = new AtomicReference(
      new FileZones(status, table.conf, table.store, table.columns, checksVersion))
    def close(): Unit = Option(opened.getAndSet(null)).foreach(_.close())
    TaskContext.get().addTaskCompletionListener[Unit](_ => close())
    def attempt(work: FileZones => Iterator[(Int, AnyRef)]): Iterator[(Int, AnyRef)] =
      Option(opened.get).fold(Iterator[(Int, AnyRef)]()) { zones =>
        try work(zones)
        catch {
          case RecoverableError.OfFile(cause) =>
            close()
            val failure = (number, s"${status.getPath}: ${RecoverableError.message(cause)}")
            (0 until files.size).iterator.map(_ -> failure)
        }
      }
    val chunks = for {
      rowGroup <- columns.headOption.iterator.flatMap(_.slabs.indices)
      column <- columns.iterator
      value <- attempt(chunk(_, column, rowGroup, files))
    } yield value
    def end = attempt { zones =>
      zones.check()
      close()
      Iterator.empty
    }
    chunks ++ end
  }

  private def chunk(
      zones: FileZones,
      column: ColumnZones,
      rowGroup: Int,
      files: ZoneFiles): Iterator[(Int, AnyRef)] = {
    val found = new ArrayBuffer[(Int, AnyRef)]
    val table = files.numberOf(TableOf(column.column))
    new ZoneBuilder(rule, zones, number, firstRowGroup, files.slabs)
      .build(column, rowGroup, zone => found += table -> packed(zone)) {
        (slab, part, filter, piece) =>
          found += files.numberOf(PartOf(column.column, slab, part)) -> ((filter, piece))
      }
    found.iterator
  }
}

private[zones] object FileToZone {

  /** Spark looks up classes of a shuffle with loaders that lack the JARs of a single session. */
  private def packed(zone: Zone): Array[Long] = Array(
    zone.file.toLong,
    zone.start,
    zone.length,
    if (zone.hasNull) 1L else 0L,
    zone.rowGroup.toLong,
    zone.filterBytes.toLong,
    zone.filter.toLong)

  /** Returns the zone that a task has packed. */
  def unpacked(fields: Array[Long]): Zone = Zone(
    fields(0).toInt,
    fields(1),
    fields(2),
    fields(3) != 0,
    fields(4).toInt,
    fields(5).toInt,
    fields(6).toInt)
}
