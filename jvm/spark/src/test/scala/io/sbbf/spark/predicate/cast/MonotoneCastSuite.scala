package io.sbbf.spark.predicate.cast

import java.math.BigInteger

import scala.collection.mutable
import scala.util.{Failure, Random, Success, Try}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.EvalMode
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.{RowGroupPredicate, Value}
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.predicate.cast.UnwrapCast.Untranslatable

/** Tests which casts keep the order, and which values of a column satisfy their comparisons. */
class MonotoneCastSuite extends AnyFunSuite {
  import EvalMode.{ANSI, LEGACY, TRY}

  private val all = Seq(LEGACY, ANSI, TRY)
  private val checked = Seq(ANSI, TRY)

  // each cast with the modes in which it keeps the order
  private val casts: Seq[(String, Seq[EvalMode.Value])] = Seq(
    "BOOLEAN > DECIMAL(2,2)" -> all,
    "TINYINT > INT" -> all,
    "TINYINT > DECIMAL(2,1) > DOUBLE" -> all,
    "SMALLINT > TINYINT" -> checked,
    "BIGINT > INT > BIGINT" -> checked,
    "BIGINT > FLOAT" -> all,
    "BIGINT > DOUBLE" -> all,
    "INT > DECIMAL(5,2)" -> all,
    "BIGINT > TIMESTAMP" -> all,
    "FLOAT > DOUBLE" -> all,
    "DOUBLE > FLOAT" -> all,
    "DOUBLE > BIGINT" -> all,
    "FLOAT > SMALLINT" -> checked,
    "DECIMAL(9,2) > DECIMAL(5,4)" -> all,
    "DECIMAL(20,0) > FLOAT" -> all,
    "DECIMAL(4,2) > TINYINT" -> all,
    "DECIMAL(5,2) > TINYINT" -> checked,
    "TIMESTAMP > BIGINT" -> all,
    "DATE > TIMESTAMP" -> all,
    "DATE > TIMESTAMP_NTZ > DATE" -> all,
    "BIGINT > BOOLEAN" -> Nil,
    "DECIMAL(9,2) > BOOLEAN > INT" -> Nil,
    "DOUBLE > DECIMAL(9,2)" -> Nil,
    "BOOLEAN > TIMESTAMP" -> Nil,
    "TIMESTAMP > INT" -> Nil,
    "TIMESTAMP > DATE" -> Nil,
    "TIMESTAMP_NTZ > TIMESTAMP" -> Nil,
    "INT > STRING" -> Nil,
    "STRING > INT" -> Nil
  )

  test("casts are supported in exactly those modes in which they keep the order.") {
    for ((path, modes) <- casts; mode <- all) {
      val isSupported = new CastChain(path, mode).monotone.isDefined
      assert(isSupported == modes.contains(mode), s"$path in $mode")
    }
  }

  private lazy val seed = TestFiles.seed()

  for ((path, modes) <- casts if modes.nonEmpty)
    test(s"comparisons of $path find the values that Spark's evaluation finds.") {
      val random = new Random(seed ^ path.hashCode)
      for (mode <- modes) compareWithSpark(new CastChain(path, mode), random, s"$path in $mode")
    }

  test("values that raise errors between values that give NULL are kept.") {
    for (modes <- Seq(Seq(TRY, ANSI, TRY), Seq(TRY, ANSI, ANSI), Seq(ANSI, TRY, TRY))) {
      val chain = new CastChain("BIGINT > INT > SMALLINT > TINYINT", modes)
      compareWithSpark(chain, new Random(seed), s"BIGINT to TINYINT in $modes")
    }
  }

  private def compareWithSpark(chain: CastChain, random: Random, title: String): Unit = {
    val values = CastChain.boundaries(chain.from)
    // of a small type all, literals as well
    def some(all: Seq[Any], n: Int) = if (all.size <= 300) all else random.shuffle(all).take(n)
    val results = mutable.Map.empty[Any, Try[Any]]
    def result(v: Any) = results.getOrElseUpdate(v, Try(chain.cast.eval(InternalRow(v))))
    val defined = values.flatMap(v => result(v).toOption.filter(_ != null)).distinct
    val literals = some((defined ++ defined.flatMap(UnwrapCastSuite.neighbours)).distinct, 9)
    for {
      a <- literals
      b = literals(random.nextInt(literals.size))
      (comparison, predicate) <- CastChain.comparisons(chain.monotone.get, chain.to, a, b)
      v <- some(values, 60) ++ CastChain.cuts(predicate, chain.from)
    } {
      val isNaN = v.toString == "NaN" // which evidence leaves out
      val isHeld =
        if (isNaN) !predicate.canPrune else UnwrapCastSuite.holds(predicate, v, chain.from)
      val isRight = result(v).flatMap(r => Try(comparison.eval(InternalRow(r)))) match {
        case Success(true) | Failure(_) => isHeld
        case Success(false) => !isHeld || isNaN || predicate.unknowns.nonEmpty
        case Success(_) => true
      }
      if (!isRight) fail(s"seed $seed: $title: $comparison for $v: $predicate")
    }
  }

  private def leaf(test: Test) = Leaf(Seq("c"), test)
  private def upTo(v: Value) = leaf(Less(v, orEqual = true))
  private def from(v: Value) = leaf(Greater(v, orEqual = true))
  private def instant(micros: Long) = Value.Timestamp(micros, utc = true)
  private def dec(unscaled: Long) = Value.Decimal(BigInteger.valueOf(unscaled), 5, 2)
  private val halfway = Value.DoubleLiteral(1 + Math.ulp(1f) / 2.0) // is rounded to 1
  private val present = leaf(IsNotNull)

  private val seconds = "TIMESTAMP > BIGINT"
  private type Compare = InvertibleExpression => RowGroupPredicate
  private val replacements: Seq[(String, Compare, RowGroupPredicate)] = Seq(
    (seconds, _.less(5L, orEqual = false), upTo(instant(4999999))),
    (seconds, _.less(5L, orEqual = true), upTo(instant(5999999))),
    (seconds, _.greater(-1L, orEqual = false), from(instant(0))),
    (seconds, _.oneOf(Seq(5L)), And(Seq(from(instant(5000000)), upTo(instant(5999999))))),
    (
      seconds,
      _.noneOf(Seq(5L)),
      And(Seq(present, Or(Seq(upTo(instant(4999999)), from(instant(6000000))))))),
    ("BIGINT > INT", _.less(5, orEqual = false), upTo(Value.IntegerLiteral(4, 64))),
    ("TINYINT > INT", _.less(1000, orEqual = false), present),
    ("TINYINT > INT", _.greater(1000, orEqual = true), False),
    ("TINYINT > INT", _.oneOf(Seq(1000)), False),
    ("TINYINT > INT", _.noneOf(Seq(1000)), present),
    ("DECIMAL(5,2) > INT", _.greater(5, orEqual = false), from(dec(600))),
    ("DECIMAL(5,2) > INT", _.less(1000, orEqual = false), present),
    ("DECIMAL(5,2) > INT", _.greater(1000, orEqual = false), Untranslatable),
    ("DOUBLE > FLOAT", _.less(1f, orEqual = true), upTo(halfway)),
    ("DOUBLE > FLOAT", _.less(Float.NaN, orEqual = true), Untranslatable),
    ("DOUBLE > FLOAT", _.greater(1f, orEqual = true), Untranslatable),
    ("DOUBLE > FLOAT", _.noneOf(Seq(1f)), Untranslatable)
  )

  test("a comparison becomes one with the value at which the result changes.") {
    for (((path, compare, expected), n) <- replacements.zipWithIndex) {
      val found = compare(new CastChain(path, TRY).monotone.get).mergeByColumn(_ => true)
      assert(found == expected.mergeByColumn(_ => true), s"$path, row $n")
    }
  }

  test("values of one result are listed up to 2048 of them, and are a range beyond.") {
    for ((path, size) <- Seq("DECIMAL(9,3) > INT" -> Some(1000), "DECIMAL(9,4) > INT" -> None)) {
      val tests = new CastChain(path, TRY).monotone.get.oneOf(Seq(5)).leaves.map(_.test)
      val listed = tests.collect { case In(values) => values.size }
      assert(listed == size.toSeq && tests.size == (if (size.isDefined) 1 else 2), path)
    }
  }
}
