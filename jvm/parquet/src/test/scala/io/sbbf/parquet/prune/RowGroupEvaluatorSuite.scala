package io.sbbf.parquet.prune

import org.scalatest.funsuite.AnyFunSuite

class RowGroupEvaluatorSuite extends AnyFunSuite {

  private val midpoints = Array(10L, 20L, 30L, 40L, 50L, 60L, 70L, 80L)
  private def ranges(survivors: Int*): Option[Seq[Long]] =
    RowGroupEvaluator
      .ranges(Array.tabulate(8)(i => survivors.contains(i)), midpoints(_))
      .map(_.toSeq)

  test("adjacent surviving row groups share a range, and others do not.") {
    assert(ranges(2).contains(Seq(30L, 31L)))
    assert(ranges(2, 3, 4).contains(Seq(30L, 51L)))
    assert(ranges(0, 7).contains(Seq(10L, 11L, 80L, 81L)))
  }

  test("a file without surviving row groups has no range.") {
    assert(ranges().contains(Nil))
  }

  test("tasks read all of a file that keeps all row groups, and of any other what it keeps.") {
    assert(ranges(0 until 8: _*).isEmpty)
    assert(ranges(0, 1, 2, 4, 5, 6).contains(Seq(10L, 31L, 50L, 71L)))
    assert(ranges(0, 1, 2, 3, 4, 5, 6).contains(Seq(10L, 71L)))
  }

  test("row groups in another order than their midpoints are separated by their midpoints.") {
    def ranges(midpoints: Long*)(survivors: Int*) = RowGroupEvaluator
      .ranges(Array.tabulate(midpoints.size)(survivors.contains(_)), midpoints(_))
      .map(_.toSeq)
    assert(ranges(30L, 10L, 20L)(0, 2).contains(Seq(20L, 31L)))
    assert(ranges(30L, 10L, 20L)(0, 1).contains(Seq(10L, 11L, 30L, 31L)))
    assert(ranges(10L, 20L, 20L, 30L)(1).contains(Seq(20L, 21L)), "both have this midpoint")
    assert(ranges(20L, 20L)(0).contains(Seq(20L, 21L)))
  }
}
