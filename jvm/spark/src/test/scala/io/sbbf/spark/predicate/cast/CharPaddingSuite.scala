package io.sbbf.spark.predicate.cast

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.util.CharVarcharCodegenUtils
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{
  Greater,
  In => OneOf,
  IsNotNull => Present,
  Leaf,
  Less,
  NotIn,
  Test
}
import io.sbbf.core.predicate.{RowGroupPredicate, Value, Verdict}
import io.sbbf.spark.predicate.PredicateTranslator

/** Comparisons of padded texts, each against Spark's own evaluation, over all short texts. */
class CharPaddingSuite extends AnyFunSuite {
  private val Length = 2
  private val column = AttributeReference("c", StringType)()

  // a tab is below the blank
  private val texts = (0 to Length + 1)
    .foldLeft(Seq(Seq(""))) { (all, _) =>
      all :+ (for (text <- all.last; next <- Seq("\t", " ", "ä")) yield text + next)
    }
    .flatten
    .filter(_.length <= Length + 1)

  private def literal(text: String) = Literal(UTF8String.fromString(text), StringType)

  private val readPadded = StaticInvoke(
    classOf[CharVarcharCodegenUtils],
    StringType,
    "readSidePadding",
    Seq(column, Literal(Length, IntegerType)))
  private val rightPadded = StringRPad(column, Literal(Length, IntegerType), literal(" "))

  private def orders(padded: Expression, text: Expression): Seq[Expression] = Seq(
    LessThan(padded, text),
    LessThanOrEqual(padded, text),
    GreaterThan(padded, text),
    GreaterThanOrEqual(padded, text))

  private def equalities(padded: Expression, text: Expression): Seq[Expression] =
    Seq(EqualTo(padded, text), In(padded, Seq(text, literal("ää"))))

  private def translated(e: Expression): RowGroupPredicate =
    new PredicateTranslator(Set.empty, caseSensitive = true, byFieldId = false)
      .translate(Seq(e))

  private def verdict(predicate: RowGroupPredicate, held: UTF8String): Verdict =
    predicate.evaluate {
      case Leaf(_, test) if holds(test, held) => Verdict.AllMatch
      case _ => Verdict.CannotMatch
    }

  private def holds(test: Test, held: UTF8String): Boolean = test match {
    case OneOf(values) => values.exists(compare(held, _) == 0)
    case NotIn(values) => !values.exists(compare(held, _) == 0)
    case Less(than, orEqual) => compare(held, than) < (if (orEqual) 1 else 0)
    case Greater(than, orEqual) => compare(held, than) > (if (orEqual) -1 else 0)
    case RowGroupPredicate.AllOf(tests) => tests.forall(holds(_, held))
    case other => other == Present
  }

  private def compare(held: UTF8String, value: Value): Int = value match {
    case Value.Bytes(bytes, _) => held.compareTo(UTF8String.fromBytes(bytes))
    case other => throw new MatchError(other)
  }

  private def isTrue(e: Expression, held: UTF8String): Boolean =
    BindReferences.bindReference(e, Seq(column)).eval(InternalRow(held)) == true

  for {
    (name, padded, comparisons) <- Seq[(
        String,
        Expression,
        (Expression, Expression) => Seq[Expression])](
      ("a CHAR as it is read", readPadded, (p, t) => orders(p, t) ++ equalities(p, t)),
      ("a text that is padded to be compared", rightPadded, equalities))
  } test(s"$name is compared exactly, whatever it is stored as and compared to.") {
    for {
      text <- texts
      comparison <- comparisons(padded, literal(text))
      condition <- Seq(comparison, Not(comparison))
    } {
      val predicate = translated(condition)
      texts.map(UTF8String.fromString).foreach { held =>
        val expected = if (isTrue(condition, held)) Verdict.AllMatch else Verdict.CannotMatch
        assert(verdict(predicate, held) == expected, s"for '$held' under $condition")
      }
    }
  }

  test("an order of a text that is cut to be compared is not read.") {
    orders(rightPadded, literal("a ")).foreach(e => assert(translated(e).leaves.isEmpty, e))
  }
}
