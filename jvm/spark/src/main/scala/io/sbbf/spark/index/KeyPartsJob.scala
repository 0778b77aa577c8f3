package io.sbbf.spark.index

import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration
import org.apache.spark.{HashPartitioner, TaskContext}

import io.sbbf.index.build.{KeyPartBuilder, PartLayout, SegmentBuild}
import io.sbbf.index.format.StoredPart
import io.sbbf.spark.index.IndexJob.Written
import io.sbbf.spark.table.TableTasks
import io.sbbf.spark.util.ClosureBytes.{pack, unpack}

/**
 * Reads keys, sorts them, and writes the parts of a segment, as one Spark job.
 *
 * @param checksVersions whether files must still be the listed versions
 */
private[index] final class KeyPartsJob(
    session: SparkSession,
    tasks: TableTasks,
    hadoopConf: Configuration,
    checksVersions: Boolean) {

  /**
   * Writes the parts of all columns. Returns them by column, and why the keys of some files could
   * not be read. Keys that were read before such a failure stay in the parts, where they count for
   * nothing.
   */
  def run(
      build: SegmentBuild,
      suppliers: Seq[KeySupplier]): (Seq[Seq[StoredPart]], Map[Int, String]) = {
    val packings = build.packings.toVector
    val layout = new PartLayout(packings)
    val (checked, rowGroups, folder) = (checksVersions, build.rowGroups, build.folder.toString)
    val shared = session.sparkContext.broadcast(new SerializableConfiguration(hadoopConf))
    try {
      val found = tasks.run(suppliers.map(pack(_)), "keys") { (some, table) =>
        some.flatMap(unpack[KeySupplier](_).runs(table, checked, layout))
      } {
        _.partitionBy(new HashPartitioner(layout.size)) // an Int is its own hash
          .mapPartitionsWithIndex { (n, values) =>
            val column = layout.columnOf(n)
            val name = s"_keys-$column-${layout.partOf(n)}-${TaskContext.get().taskAttemptId()}"
            val path = new Path(folder, s"$name.parquet")
            val failures = new ArrayBuffer[Array[Byte]]
            val runs = values.map(_._2).flatMap {
              case run: Array[Long] => Some(run)
              case failure =>
                failures += failure.asInstanceOf[Array[Byte]]
                None
            }
            val part =
              new KeyPartBuilder(packings(column), rowGroups).write(
                runs,
                path,
                shared.value.value)
            failures.iterator ++ part.map(of => pack[Written](Right(column -> of)))
          }
          .collect()
          .toSeq
          .map(unpack[Written](_))
      }
      val parts = found.flatMap(_.toOption)
      (
        packings.indices.map(c => parts.collect { case (`c`, part) => part }),
        found.flatMap(_.left.toOption).flatMap(f => f.numbers.map(_ -> f.why)).toMap)
    } finally shared.destroy()
  }
}
