package io.sbbf.spark.index

import java.io.File
import java.nio.file.{Files, StandardCopyOption}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.DataFrame

import io.sbbf.index.format.IndexPlace
import io.sbbf.index.maintain.IndexContents
import io.sbbf.index.search.IndexCache
import io.sbbf.parquet.result.ScanPruning
import io.sbbf.parquet.testing.SteppedFileSystem
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.LogOnce

/** Small tables, their indexes and queries on a file system whose faults a suite chooses. */
abstract class FaultyTables extends SparkSuite {
  override protected def settings: Map[String, String] = SparkSuite.Interpreted ++ Map(
    "spark.hadoop.fs.steps.impl" -> classOf[SteppedFileSystem].getName,
    "spark.sql.sources.parallelPartitionDiscovery.threshold" -> "1000")

  protected val RowsOfFile = 200

  /** The time of files that count as settled. */
  protected val Settled = 1700000000000L

  /** @param name the name of its folder */
  protected final class Table(val name: String) {
    val folder = new File(path(name))
    val uri: String = s"steps://$folder"
    val index = new File(folder, "_sbbf")

    /** Adds a file with the rows from `first` on. Returns it. */
    def add(first: Long, rows: Int = RowsOfFile, as: String = null): File = {
      val temporary = path(s"temporary-${System.nanoTime}")
      spark
        .range(first, first + rows, 1, 1)
        .selectExpr("id", "xxhash64(id) AS key", s"${nameOf("id")} AS name")
        .write
        .option("compression", "none")
        .option("parquet.enable.dictionary", "false")
        .parquet(temporary)
      val Some(written) = new File(temporary).listFiles.find(_.getName.endsWith(".parquet"))
      val to = new File(folder, Option(as).getOrElse(s"$first.parquet"))
      folder.mkdirs()
      Files.move(written.toPath, to.toPath, StandardCopyOption.REPLACE_EXISTING)
      to.setLastModified(Settled)
      to
    }

    /** Returns a copy whose files have the same times. */
    def copy(as: String): Table = {
      val made = new Table(as)
      Files.walk(folder.toPath).forEach { from =>
        val to = made.folder.toPath.resolve(folder.toPath.relativize(from))
        Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES)
        ()
      }
      made
    }

    def create(columns: String*): IndexOutcome =
      IndexCommand.run(spark, IndexRequest.create(uri, columns))
    def refresh(): IndexOutcome =
      IndexCommand.run(spark, IndexRequest.refresh(uri))

    /** Lets the next query find the index as a new process does. */
    def forget(): Unit = IndexCache.shared.forget(place.index)

    private def conf = spark.sessionState.newHadoopConf()
    private def place: IndexPlace = IndexPlace.of(new Path(uri), "", conf)
    def contents: IndexContents = IndexContents.read(place, conf)

    /** Returns the number of segments that lookups through a cache search. */
    def segmentsIn(cache: IndexCache): Int = cache.manifests(place, conf, LogOnce).size

    /** Returns for each column how many files the index covers. */
    def covered: Map[String, Int] =
      IndexCommand.info(spark, uri).map(row => row.getString(0) -> row.getInt(2)).toMap

    def where(condition: String): DataFrame =
      spark.read.schema("id bigint, key bigint, name string").parquet(uri).where(condition)

    def ids(condition: String): Seq[Long] =
      where(condition).collect().map(_.getLong(0)).sorted.toSeq

    def pruned(condition: String): ScanPruning = pruning(where(condition)).get

    /** Whether lookups know all files by the index. */
    def isIndexed: Boolean = {
      val absent = pruned("key = 5")
      absent.keptFiles == 0 && absent.filesOpened == 0
    }

    /** The index's files of keys. */
    def parts: Seq[File] =
      Option(index.listFiles).toSeq.flatten
        .flatMap(f => Option(f.listFiles).toSeq.flatten)
        .filter(_.getName.startsWith("_keys-"))

    /** The folders of the index. */
    def segments: Seq[File] = Option(index.listFiles).toSeq.flatten
  }

  protected def key(id: Long): String = s"key = xxhash64(${id}L)"
  protected def name(id: Long): String = s"name = ${nameOf(s"${id}L")}"

  /** Names are of equal length, and so are files with equally many rows. */
  private def nameOf(id: String): String =
    s"concat('user-', lpad(cast(hash($id) AS string), 12, ' '))"

  protected def delete(file: File): Unit = {
    Option(file.listFiles).foreach(_.foreach(delete))
    file.delete()
    ()
  }
}
