package io.sbbf.spark.pages

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.scalatest.funsuite.AnyFunSuite

class RowRunsSuite extends AnyFunSuite {
  private val seed = sys.env.get("SBBF_SEED").fold(Random.nextLong())(_.hashCode.toLong)

  private def rowGroup(first: Long, rows: Long): BlockMetaData = {
    val block = new BlockMetaData
    block.setRowIndexOffset(first)
    block.setRowCount(rows)
    block
  }

  private def runs(rows: Seq[Long]): RowRuns = {
    val all = new RowRuns
    rows.foreach(all.add)
    all
  }

  private def within(rows: Seq[Long], first: Long, count: Long): Seq[Long] =
    runs(rows).within(rowGroup(first, count)).iterator.asScala.map(_.longValue).toSeq

  /** The rows and those in gaps of at most 8, one by one. */
  private def plain(rows: Seq[Long], first: Long, count: Long): Seq[Long] = {
    val gaps = rows.zip(rows.drop(1)).collect { case (a, b) if b - a - 1 <= 8 => a + 1 until b }
    (rows ++ gaps.flatten).sorted.filter(r => r >= first && r < first + count).map(_ - first)
  }

  test("short gaps between rows are read, and longer ones are not.") {
    for ((gap, isRead) <- Seq(0L -> true, 1L -> true, 7L -> true, 8L -> true, 9L -> false)) {
      val found = within(Seq(100L, 101L + gap), 0, 1000)
      assert(found.size == (if (isRead) gap + 2 else 2), gap)
    }
  }

  test("a row group has its part of the runs, and none where no row passes.") {
    assert(within(Seq(98L, 99L, 100L, 250L), 100, 100) == Seq(0L))
    assert(within(Seq(98L, 250L), 100, 100).isEmpty && runs(Nil).isEmpty)
    assert(within(Seq(0L, 99L), 0, 100) == Seq(0L, 99L))
  }

  test("rows of row groups are those of a plain filter.") {
    info(s"seed $seed")
    val random = new Random(seed)
    for (_ <- 0 until 200) {
      val all = 1 + random.nextInt(500)
      val rows = (0L until all.toLong).filter(_ => random.nextInt(1 + random.nextInt(30)) == 0)
      val cuts = (Seq.fill(3)(random.nextInt(all).toLong) ++ Seq(0L, all.toLong)).sorted.distinct
      for ((from, until) <- cuts.zip(cuts.drop(1)))
        assert(within(rows, from, until - from) == plain(rows, from, until - from), rows)
    }
  }
}
