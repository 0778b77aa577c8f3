package io.sbbf.parquet.statistics

import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{AllOf, Greater, In, Less, NotIn, Test}
import io.sbbf.core.predicate.Value
import io.sbbf.core.predicate.Value.{Bytes, DoubleLiteral, IntegerLiteral}
import io.sbbf.core.predicate.Verdict.{CannotMatch, MightMatch}
import io.sbbf.parquet.model.LeafResult
import io.sbbf.parquet.testing.{TestFile, TestFiles}

/** Tests ranges, and other tests that one value has to pass together. */
final class RangeSuite extends AnyFunSuite {
  import TestFiles._

  private def text(v: String) = Bytes(v.getBytes, true)
  private def between(low: Value, high: Value): Test =
    AllOf(Seq(Greater(low, orEqual = true), Less(high, orEqual = true)))
  private def between(low: Long, high: Long): Test =
    between(IntegerLiteral(low, 64), IntegerLiteral(high, 64))

  /** Writes the values in one row group with dictionaries. */
  private def doubles(values: Double*) = new TestFile(
    write(
      "message m { optional double z; }",
      Style(dictionary = true),
      Iterator.tabulate(RowsPerGroup)(row =>
        (g: Group) => g.add("z", values(row % values.size)))))

  test("a range without an entry of the dictionary is refuted, its two ends taken together") {
    val trees = Seq("ash", "elm", "oak")
    val opened = new TestFile(
      write(
        "message m { optional binary s (STRING); }",
        Style(dictionary = true, codec = CompressionCodecName.ZSTD),
        Iterator.tabulate(RowsPerGroup)(row => (g: Group) => g.add("s", trees(row % 3)))
      ),
      tailBytes = 8
    )
    opened.footer
    def result(test: Test) = opened.evaluate("s", test).head
    def from(v: String) = Greater(text(v), orEqual = true)
    val before = opened.reads
    val byBounds = Seq(
      between(text("a"), text("b")) -> LeafResult.HoldsBound,
      between(text("n"), text("z")) -> LeafResult.HoldsBound,
      between(text("x"), text("z")) -> LeafResult.OutsideBounds,
      between(text("elm"), text("b")) -> LeafResult.OutsideBounds,
      AllOf(Seq(from("elm"), Less(text("elm"), orEqual = false))) -> LeafResult.OutsideBounds,
      AllOf(Seq(In(Seq(text("ash"), text("elm"))), NotIn(Seq(text("ash"), text("elm"))))) ->
        LeafResult.OutsideBounds
    )
    for ((test, expected) <- byBounds) assert(result(test) == expected, test)
    assert(opened.reads == before, "bounds are enough")
    val byDictionary = Seq(
      between(text("f"), text("o")) -> LeafResult.NotInDictionary,
      between(text("elm"), text("elm")) -> LeafResult.InDictionary,
      AllOf(Seq(Greater(text("elm"), orEqual = false), Less(text("oak"), orEqual = false))) ->
        LeafResult.NotInDictionary,
      AllOf(Seq(from("b"), NotIn(Seq(text("elm"), text("oak"))))) -> LeafResult.NotInDictionary,
      AllOf(Seq(from("b"), NotIn(Seq(text("oak"))))) -> LeafResult.InDictionary,
      AllOf(Seq(In(Seq(text("ash"), text("fir"))), from("b"))) -> LeafResult.NotInDictionary,
      AllOf(Seq(In(Seq(text("ash"), text("elm"))), from("b"))) -> LeafResult.InDictionary
    )
    for ((test, expected) <- byDictionary) assert(result(test) == expected, test)
    assert(opened.reads == before + 1, "the page, once")
  }

  test("dictionaries include NaN, which bounds do not") {
    val payload = java.lang.Double.longBitsToDouble(0xfff8000000000123L)
    val (numbers, both, nan) =
      (doubles(-1.0, 0.25, 3.0), doubles(1.0, payload), doubles(payload))
    val NaN = DoubleLiteral(Double.NaN)
    def above(v: Double, orEqual: Boolean) = Greater(DoubleLiteral(v), orEqual)
    val table = Seq[(TestFile, Test, LeafResult)](
      (numbers, In(Seq(NaN)), LeafResult.NotInDictionary),
      (numbers, above(3, orEqual = false), LeafResult.NotInDictionary),
      (numbers, above(3, orEqual = true), LeafResult.HoldsBound),
      (numbers, above(Double.NaN, orEqual = true), LeafResult.NotInDictionary),
      (numbers, between(DoubleLiteral(-0.5), DoubleLiteral(0.2)), LeafResult.NotInDictionary),
      (both, In(Seq(NaN)), LeafResult.InDictionary),
      (both, above(3, orEqual = false), LeafResult.InDictionary),
      (both, NotIn(Seq(DoubleLiteral(1), NaN)), LeafResult.NotInDictionary),
      (nan, NotIn(Seq(NaN)), LeafResult.NotInDictionary),
      (nan, NotIn(Seq(DoubleLiteral(1))), LeafResult.InDictionary),
      (nan, Less(DoubleLiteral(Double.PositiveInfinity), true), LeafResult.NotInDictionary),
      (nan, Less(NaN, true), LeafResult.InDictionary)
    )
    for ((file, test, expected) <- table) assert(file.evaluate("z", test) == Seq(expected), test)
  }

  test("a range that ends at one of the zeros includes both") {
    for (zero <- Seq(0.0, -0.0); end <- Seq(0.0, -0.0).map(DoubleLiteral(_))) {
      val file = doubles(zero)
      def verdict(test: Test) = file.evaluate("z", test).head.verdict
      assert(verdict(Greater(end, true)) != CannotMatch)
      assert(verdict(Greater(end, false)) == CannotMatch)
      assert(verdict(Less(end, true)) != CannotMatch)
      assert(verdict(Less(end, false)) == CannotMatch)
      assert(verdict(between(end, DoubleLiteral(0.5))) != CannotMatch)
      assert(verdict(between(DoubleLiteral(0.1), DoubleLiteral(0.5))) == CannotMatch)
    }
  }

  /** Writes 0, 1000, 2000 ... */
  private def thousands(filters: Map[String, Int]) = new TestFile(
    write(
      "message m { required int64 c; required int32 u (INTEGER(32,false)); }",
      Style(filters = filters),
      Iterator.tabulate(RowsPerGroup)(row =>
        (g: Group) => {
          g.add("c", row * 1000L)
          g.add("u", row * 1000)
        })
    ))

  test("the filter is probed for each integer of a short range, but not of a long one") {
    val opened = thousands(Map("c" -> 4000, "u" -> 4000))
    for ((column, from) <- Seq("c" -> 5001L, "c" -> 98001L, "u" -> 5001L)) {
      def result(low: Long, high: Long) = opened.evaluate(column, between(low, high)).head
      assert(result(from, from + 63) == LeafResult.NotInFilter, column)
      assert(result(from - 1, from + 62) == LeafResult.InFilter, column)
      assert(result(from, from + 64) == LeafResult.NoEvidence, column)
    }
    def from(v: Long) = Greater(IntegerLiteral(v, 64), orEqual = true)
    def until(v: Long) = Less(IntegerLiteral(v, 64), orEqual = true)
    val excluded = AllOf(Seq(from(4999), until(5010), NotIn(Seq(IntegerLiteral(5000, 64)))))
    assert(opened.evaluate("c", excluded) == Seq(LeafResult.NotInFilter))
  }

  test("without a filter only bounds decide about a range") {
    val opened = thousands(Map.empty)
    assert(opened.evaluate("c", between(5001, 5010)) == Seq(LeafResult.NoEvidence))
    assert(opened.evaluate("c", between(99001, 99064)) == Seq(LeafResult.OutsideBounds))
    assert(opened.evaluate("c", between(-64, -1)) == Seq(LeafResult.OutsideBounds))
  }

  test("ranges at the ends of the numbers do not overflow") {
    val opened = thousands(Map("c" -> 4000))
    def verdict(low: Long, high: Long) = opened.evaluate("c", between(low, high)).head.verdict
    assert(verdict(Long.MinValue, Long.MaxValue) != CannotMatch)
    assert(verdict(Long.MinValue, 0) == MightMatch)
    assert(verdict(Long.MaxValue - 3, Long.MaxValue) == CannotMatch)
    assert(verdict(Long.MinValue, Long.MinValue + 3) == CannotMatch)
    assert(verdict(10, 9) == CannotMatch)
  }
}
