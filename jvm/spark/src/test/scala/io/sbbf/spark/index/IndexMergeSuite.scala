package io.sbbf.spark.index

import java.io.File
import java.nio.file.{Files => Disk}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.DataFrame

import io.sbbf.index.search.IndexCache
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite

/** Merges segments, and compares lookups with those without pruning. */
class IndexMergeSuite extends SparkSuite {
  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  private val Modified = 1700000000000L
  private val Rows = 600L

  /** Adds a file of 6 row groups to a table, in which some keys are everywhere. */
  private def add(table: String, n: Long, rows: Long = Rows): File = {
    val columns = Seq(
      "id",
      "xxhash64(id) AS key",
      "concat('n', id % 3) AS few",
      "IF(id % 5 = 0, NULL, id % 500) AS some",
      "array(id, id * 7) AS list")
    val part = path(s"${table}_$n")
    spark
      .range(n * Rows, n * Rows + rows, 1, 1)
      .selectExpr(columns: _*)
      .write
      .mode("overwrite")
      .option("parquet.block.row.count.limit", "100")
      .parquet(part)
    val written = new File(part).listFiles.find(_.getName.endsWith(".parquet")).get
    val file = new File(path(table), s"$n.parquet")
    file.getParentFile.mkdirs()
    assert(written.renameTo(file))
    file.setLastModified(Modified + n)
    file
  }

  private val Columns = Seq("key", "few", "some", "list.list.element")

  private def create(table: String, columns: String*): IndexOutcome =
    IndexCommand.run(spark, IndexRequest.create(path(table), columns))

  private def refresh(table: String): IndexOutcome =
    IndexCommand.run(spark, IndexRequest.refresh(path(table)))

  private def segments(table: String): Int =
    IndexCommand.info(spark, path(table)).map(_.getInt(3)).max

  private def read(table: String): DataFrame = spark.read.parquet(path(table))

  private def answersAsWithoutPruning(table: String, files: Int): Unit = {
    val random = new scala.util.Random(TestFiles.seed())
    def id = random.nextInt((files + 1) * Rows.toInt)
    for (_ <- 0 until TestFiles.times(8, fewest = 2);
      condition <- Seq(
        s"key = xxhash64(${id}L)",
        s"key IN (xxhash64(${id}L), xxhash64(${id}L), $id)",
        s"few = 'n${id % 4}' AND key = xxhash64(${id}L)",
        s"some = ${id % 600}",
        s"array_contains(list, ${id}L)"
      )) {
      val query = read(table).where(condition).select("id")
      assert(rows(query) == oracle(read(table).where(condition).select("id")), condition)
    }
  }

  private def keptFiles(table: String, id: Long): Int =
    pruning(read(table).where(s"key = xxhash64(${id}L)")).get.keptFiles

  /** Overwrites a file, so that only its keys in the index can still be read. */
  private def wipe(file: File): Unit = {
    new File(file.getParent, s".${file.getName}.crc").delete()
    val modified = file.lastModified
    Disk.write(file.toPath, new Array[Byte](file.length.toInt))
    file.setLastModified(modified)
    ()
  }

  test("a refresh merges eight segments without reading their files", TestFiles.FullRun) {
    val files = (0 until 8).map { n =>
      val file = add("eight", n.toLong)
      create("eight", Columns: _*)
      file
    }
    assert(segments("eight") == 8)
    add("eight", 8)
    val kept = Disk.readAllBytes(files.head.toPath)
    wipe(files.head)
    val done = refresh("eight")
    assert(done.files == 9 && done.merged == 8 && done.skipped == 0)
    assert(segments("eight") == 1)
    Disk.write(files.head.toPath, kept)
    files.head.setLastModified(Modified)
    answersAsWithoutPruning("eight", 9)
    for (n <- 0 until 9) assert(keptFiles("eight", n * Rows + 17) == 1)
    assert(pruning(read("eight").where("key = 5")).get.filesOpened == 0)
    assert(refresh("eight").segment.isEmpty)
  }

  test("a merge drops what is known of deleted and replaced files") {
    val files = (0 until 6).map(n => add("dead", n.toLong))
    create("dead", Columns: _*)
    files.take(2).foreach(_.delete())
    files(2).delete()
    add("dead", 2, rows = 350).setLastModified(Modified + 100)
    val before = IndexCommand.info(spark, path("dead")).head.getLong(5)
    val done = refresh("dead")
    assert(done.files == 4 && done.merged == 3)
    assert(IndexCommand.info(spark, path("dead")).head.getLong(5) < before)
    answersAsWithoutPruning("dead", 6)
    assert(keptFiles("dead", 17) == 0 && keptFiles("dead", 2 * Rows + 17) == 1)
  }

  test("columns that were indexed one after the other are merged into one segment") {
    (0 until 3).foreach(n => add("columns", n.toLong))
    Columns.foreach(create("columns", _))
    add("columns", 3)
    Columns.foreach(create("columns", _))
    val done = refresh("columns")
    assert(done.files == 4 && done.merged == 4 && segments("columns") == 1)
    assert(IndexCommand.info(spark, path("columns")).size == Columns.size)
    answersAsWithoutPruning("columns", 4)
  }

  test("a segment with most keys stays, and small ones are merged beside it", TestFiles.FullRun) {
    (0 until 20).foreach(n => add("large", n.toLong))
    val first = create("large", "key")
    for (n <- 20 until 27) {
      add("large", n.toLong)
      create("large", "key")
    }
    val done = refresh("large")
    assert(done.files == 7 && done.merged == 7 && segments("large") == 2)
    assert(new File(path("large"), s"_sbbf/${first.segment.get}/_segment.json").exists)
    for (n <- Seq(3, 25)) assert(keptFiles("large", n * Rows + 17) == 1)
    answersAsWithoutPruning("large", 27)
  }

  test("files whose keys are too short for a larger index are read again", TestFiles.FullRun) {
    add("short", 0, rows = 2)
    create("short", "key")
    (1 until 9).foreach { n =>
      add("short", n.toLong)
      create("short", "key")
    }
    val done = refresh("short")
    assert(done.files == 9 && done.merged == 8 && segments("short") == 1)
    answersAsWithoutPruning("short", 9)
  }

  test("a refresh of some partitions replaces no segment", TestFiles.FullRun) {
    val table = path("parts")
    def addTo(part: Int, n: Long) = {
      val file = add(s"files_of_$part", n)
      val folder = new File(table, s"part=$part")
      folder.mkdirs()
      assert(file.renameTo(new File(folder, file.getName)))
    }
    (0 until 8).foreach(n => addTo(1, n.toLong))
    create("parts", "key")
    for (column <- Seq("few", "some", "list.list.element"); more <- Seq(20L, 21L, 22L)) {
      addTo(2, more + column.length * 10)
      IndexCommand.run(spark, IndexRequest.create(table, Seq(column), Some("part = 2")))
    }
    assert(IndexCommand.info(spark, table).map(_.getInt(3)).sum >= 8)
    val before = IndexCommand.info(spark, table).map(r => r.getString(0) -> r.getInt(2)).toMap
    addTo(3, 99)
    val some = IndexCommand.run(spark, IndexRequest.refresh(table, Some("part = 3")))
    assert(some.files == 1 && some.merged == 0)
    val after = IndexCommand.info(spark, table).map(r => r.getString(0) -> r.getInt(2)).toMap
    assert(after == before.map { case (column, files) => column -> (files + 1) })
  }

  test("files of a damaged part are left to the next refresh, and lose no row until then") {
    (0 until 8).foreach { n =>
      add("damaged", n.toLong)
      create("damaged", "key")
    }
    val folder = new File(path("damaged"), "_sbbf")
    val part = folder.listFiles
      .flatMap(_.listFiles)
      .filter(f => f.getName.startsWith("_keys-") && f.getName.endsWith(".parquet"))
      .minBy(_.getPath)
    val bytes = Disk.readAllBytes(part.toPath)
    bytes(200) = (bytes(200) ^ 4).toByte // within a page
    new File(part.getParent, s".${part.getName}.crc").delete()
    Disk.write(part.toPath, bytes)
    val done = refresh("damaged")
    assert(done.files == 7 && done.skipped == 1 && done.reason.contains(part.getName))
    IndexCache.shared.forget(new Path(s"file:${path("damaged")}/_sbbf"))
    answersAsWithoutPruning("damaged", 8)
    val again = refresh("damaged")
    assert(again.files == 1 && again.merged == 0)
    answersAsWithoutPruning("damaged", 8)
  }
}
