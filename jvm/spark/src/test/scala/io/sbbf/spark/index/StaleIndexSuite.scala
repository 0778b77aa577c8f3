package io.sbbf.spark.index

import java.io.File

import io.sbbf.parquet.prune.FooterCache

/** Queries see each change of a table's files that changes a length or a time, indexed or not. */
class StaleIndexSuite extends FaultyTables {

  private def indexed(name: String): Table = {
    val table = new Table(name)
    (0 until 3).foreach(n => table.add(n * 1000L))
    table.create("key", "name")
    assert(table.isIndexed)
    table
  }

  /** Checks which rows are found by either column. */
  private def check(table: Table, present: Seq[Long], absent: Seq[Long]): Unit =
    for (id <- present ++ absent; condition <- Seq(key(id), name(id)))
      assert(table.ids(condition) == present.filter(_ == id), condition)

  test("appended and deleted files are seen at once, and indexed by a refresh") {
    val table = indexed("appended")
    table.add(3000)
    check(table, Seq(5, 2005, 3005), Seq(3500))
    delete(new File(table.folder, "1000.parquet"))
    check(table, Seq(5, 2005, 3005), Seq(1005))
    assert(table.refresh().segment.isDefined && table.isIndexed)
    check(table, Seq(5, 2005, 3005), Seq(1005))
  }

  test("a file that is replaced by one of another length or time is seen at once") {
    val table = indexed("replaced")
    val before = new File(table.folder, "0.parquet").length
    // its first row, the number of its rows, and its time
    for ((first, rows, time) <- Seq(
        (4000L, RowsOfFile, Settled + 1),
        (5000L, RowsOfFile, Settled - 60000),
        (6000L, RowsOfFile + 1, Settled))) {
      val file = table.add(first, rows, as = "0.parquet")
      file.setLastModified(time)
      assert((file.length == before) == (rows == RowsOfFile), first)
      check(table, Seq(first, first + 199, 1005), Seq(0, 199, first - 1000))
      assert(table.refresh().segment.isDefined && table.isIndexed)
      check(table, Seq(first, first + 199, 1005), Seq(0, 199, first - 1000))
    }
  }

  test("a file whose time is unknown or in the future counts as one that may change unnoticed") {
    val now = System.currentTimeMillis
    for (time <- Seq(0L, now + 3600 * 1000)) {
      val table = new Table(s"skewed-$time")
      table.add(0).setLastModified(time)
      table.add(1000)
      table.create("key", "name")
      assert(table.pruned("key = 5").filesOpened == 1)
      check(table, Seq(5, 1005), Seq(500))
      table.add(2000, as = "0.parquet").setLastModified(time)
      FooterCache.shared.clear()
      check(table, Seq(1005, 2005), Seq(5))
    }
  }

  test("a file that was just written is indexed once its time says whether it changes again") {
    val table = new Table("fresh")
    table.add(0).setLastModified(System.currentTimeMillis)
    table.create("key", "name")
    assert(table.isIndexed)
    table.add(2000, as = "0.parquet").setLastModified(System.currentTimeMillis)
    check(table, Seq(2005), Seq(5))
  }
}
