package io.sbbf.parquet.eval

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.In
import io.sbbf.core.predicate.Verdict.CannotMatch
import io.sbbf.core.predicate.{ColumnPath, Value}
import io.sbbf.parquet.model.{ColumnLookup, Evidence, LeafResult}
import io.sbbf.parquet.testing.{TestFile, TestFiles}

/** Many keys together have the results that each key has alone, on random columns of all kinds. */
final class KeyEvaluatorSuite extends AnyFunSuite {
  import DifferentialSuite.{randomFile, Kind, Kinds}

  private val lookup = ColumnLookup(caseSensitive = true)

  private def hits(file: TestFile, column: String, keys: IndexedSeq[Value]) = {
    val evaluator = new KeySet(ColumnPath.named(Seq(column)), keys, lookup).bind(file.evidence)
    (0 until file.footer.numRowGroups).map { g =>
      val found = evaluator.eval(g, () => file.bytes)
      val results =
        for (KeyHits(result, of) <- found; key <- keys.indices if of.get(key))
          yield key -> result
      assert(results.map(_._1).distinct.size == results.size, "a key has one result")
      results.toMap
    }
  }

  private def alone(file: TestFile, column: String, keys: IndexedSeq[Value]) = {
    val each = keys.map(key => file.evaluate(column, In(Seq(key))))
    (0 until file.footer.numRowGroups).map { g =>
      keys.indices.map(key => key -> each(key)(g)).filter(_._2.verdict != CannotMatch).toMap
    }
  }

  private def randomKeys(kind: Kind[_], rows: Seq[Option[Any]], random: Random) =
    Seq
      .fill(1 + random.nextInt(300))(kind.test(random, rows))
      .collect { case In(values) => values }
      .flatten
      .distinct
      .toIndexedSeq

  test("the results are those of the keys alone, for columns and keys of every kind") {
    val random = new Random(TestFiles.seed())
    val by = collection.mutable.Map.empty[Evidence, Int].withDefaultValue(0)
    var refuted = 0L
    for (kind <- Kinds.all; n <- 0 until 8) {
      val (file, rows, style) = randomFile(kind, n, random)
      val keys = randomKeys(kind, rows, random)
      val (together, single) = (hits(file, "c", keys), alone(file, "c", keys))
      for (g <- single.indices) {
        assert(together(g) == single(g), s"${kind.parquet} $style, row group $g")
        refuted += keys.size - single(g).size
        single(g).values.foreach(result => by(result.evidence) += 1)
      }
    }
    println(s"refuted $refuted pairs; kept by ${by.map { case (e, n) => s"${e.name} $n" }}")
    assert(refuted > 10000)
    Seq(Evidence.Bloom, Evidence.Dictionary, Evidence.None).foreach(e => assert(by(e) > 100, e))
  }

  test("a file without the column holds no key, and one without rows holds none either") {
    val keys = IndexedSeq(Value.IntegerLiteral(1, 64), Value.IntegerLiteral(2, 64))
    val file = new TestFile(
      TestFiles.write(
        "message m { optional int64 c; }",
        TestFiles.Style(),
        Iterator.fill(10)(g => g.add("c", 1L))))
    assert(hits(file, "other", keys).forall(_.isEmpty))
    assert(hits(file, "c", keys).map(_.keySet) == alone(file, "c", keys).map(_.keySet))
    assert(hits(file, "c", IndexedSeq.empty).forall(_.isEmpty))
  }

  test("keys of another type might be anywhere, with the reason") {
    val file = new TestFile(
      TestFiles.write(
        "message m { optional int64 c; }",
        TestFiles.Style(filters = Map("c" -> 10)),
        Iterator.fill(10)(g => g.add("c", 1L))))
    val keys = IndexedSeq(Value.Bytes(Array(1), text = true), Value.IntegerLiteral(7, 64))
    assert(hits(file, "c", keys) == Seq(Map(0 -> LeafResult.NotComparable)))
  }
}
