package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{
  And => _,
  In => _,
  IsNotNull => _,
  IsNull => _,
  Or => _,
  _
}
import io.sbbf.core.predicate.{RowGroupPredicate, Value}

/** Columns to translate predicates over, and names that do not clash with Catalyst's. */
abstract class TranslatorSuite extends AnyFunSuite {
  protected val id: AttributeReference = AttributeReference("id", LongType)()
  protected val name: AttributeReference = AttributeReference("name", StringType)()
  protected val ratio: AttributeReference = AttributeReference("ratio", DoubleType)()
  protected val flag: AttributeReference = AttributeReference("flag", BooleanType)()
  protected val day: AttributeReference = AttributeReference("day", StringType)()
  protected val price: AttributeReference = AttributeReference("price", DecimalType(9, 2))()
  protected val point: AttributeReference =
    AttributeReference("point", new StructType().add("x", IntegerType).add("y", IntegerType))()

  protected def translator(byFieldId: Boolean = false): PredicateTranslator =
    new PredicateTranslator(Set("DAY"), caseSensitive = false, byFieldId)

  /** Without the reasons of what is unknown. */
  protected def translated(e: Expression*): RowGroupPredicate =
    withoutReasons(translator().translate(e))

  private def withoutReasons(p: RowGroupPredicate): RowGroupPredicate = p match {
    case RowGroupPredicate.And(children) => AND(children.map(withoutReasons): _*)
    case RowGroupPredicate.Or(children) => OR(children.map(withoutReasons): _*)
    case RowGroupPredicate.Unknown(_) => unknown
    case other => other
  }

  protected val unknown: RowGroupPredicate = Unknown("")
  protected def AND(all: RowGroupPredicate*): RowGroupPredicate = RowGroupPredicate.And(all)
  protected def OR(any: RowGroupPredicate*): RowGroupPredicate = RowGroupPredicate.Or(any)
  protected def leaf(column: String, test: Test): Leaf = Leaf(column.split('.').toSeq, test)
  protected def absent(column: String): Leaf = leaf(column, RowGroupPredicate.IsNull)
  protected def present(column: String): Leaf = leaf(column, RowGroupPredicate.IsNotNull)
  protected def in(values: Value*): SimpleTest = RowGroupPredicate.In(values)
  protected def notIn(values: Value*): SimpleTest = NotIn(values)

  protected def long(v: Long): Value = Value.IntegerLiteral(v, 64)
  protected def text(s: String): Value = Value.Bytes(s.getBytes("UTF-8"), text = true)

  protected def nullOf(dataType: DataType): Literal = Literal(null, dataType)

  protected def translates(cases: (String, Expression, RowGroupPredicate)*): Unit =
    cases.foreach { case (title, expression, expected) =>
      test(s"translates $title.") { assert(translated(expression) == expected) }
    }
}
