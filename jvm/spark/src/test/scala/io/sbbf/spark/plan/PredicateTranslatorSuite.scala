package io.sbbf.spark.plan

import org.apache.spark.sql.catalyst.dsl.expressions._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.METADATA_COL_ATTR_KEY
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.RowGroupPredicate.{
  And => AllOf,
  In => OneOf,
  IsNotNull => Present,
  IsNull => Absent,
  Or => AnyOf,
  _
}
import io.sbbf.core.{ColumnPath, RowGroupPredicate, Value}

class PredicateTranslatorSuite extends AnyFunSuite {
  private val id = AttributeReference("id", LongType)()
  private val name = AttributeReference("name", StringType)()
  private val ratio = AttributeReference("ratio", DoubleType)()
  private val flag = AttributeReference("flag", BooleanType)()
  private val day = AttributeReference("day", StringType)()
  private val point =
    AttributeReference("point", new StructType().add("x", IntegerType).add("y", IntegerType))()

  private def translator(byFieldId: Boolean = false) =
    new PredicateTranslator(Set("DAY"), caseSensitive = false, byFieldId)

  private def one(e: Expression): RowGroupPredicate = translator().translate(Seq(e)) match {
    case AllOf(Seq(only)) => only
    case other => other
  }

  private def long(v: Long) = Value.Integral(v, 64)
  private def leaf(column: String, test: Test) = Leaf(column.split('.').toSeq, test)
  private def text(s: String) = Value.Bytes(s.getBytes("UTF-8"), text = true)

  private val cases: Seq[(String, Expression, RowGroupPredicate)] = Seq(
    ("= literal", id === 5L, leaf("id", OneOf(Seq(long(5))))),
    ("literal =", Literal(5L) === id, leaf("id", OneOf(Seq(long(5))))),
    ("= string", name === "a", leaf("name", OneOf(Seq(text("a"))))),
    ("= NULL", EqualTo(id, Literal(null, LongType)), Never),
    ("IN ()", In(id, Nil), Never),
    ("NOT IN () holds for NULL too", Not(In(id, Nil)), Unknown),
    ("NOT = NULL", Not(EqualTo(id, Literal(null, LongType))), Never),
    ("<=> literal", id <=> 5L, leaf("id", OneOf(Seq(long(5))))),
    ("<=> NULL", id <=> Literal(null, LongType), leaf("id", Absent)),
    (
      "NOT <=> literal also matches NULL",
      Not(id <=> 5L),
      AnyOf(Seq(leaf("id", Absent), leaf("id", NotIn(Seq(long(5))))))),
    ("NOT <=> NULL", Not(id <=> Literal(null, LongType)), leaf("id", Present)),
    (
      "IN with NULL drops the NULL",
      In(id, Seq(Literal(1L), Literal(null, LongType))),
      leaf("id", OneOf(Seq(long(1))))),
    (
      "NOT IN with NULL never matches",
      Not(In(id, Seq(Literal(1L), Literal(null, LongType)))),
      Never),
    (
      "NOT IN",
      Not(In(id, Seq(Literal(1L), Literal(2L)))),
      leaf("id", NotIn(Seq(long(1), long(2))))),
    ("IN of a column", In(id, Seq(Literal(1L), id)), Unknown),
    ("INSET", InSet(id, Set(7L)), leaf("id", OneOf(Seq(long(7))))),
    ("<", id < 3L, leaf("id", Less(long(3), orEqual = false))),
    ("literal <", Literal(3L) < id, leaf("id", Greater(long(3), orEqual = false))),
    ("NOT <", Not(id < 3L), leaf("id", Greater(long(3), orEqual = true))),
    ("> literal", id > 3L, leaf("id", Greater(long(3), orEqual = false))),
    ("literal >=", Literal(3L) >= id, leaf("id", Less(long(3), orEqual = true))),
    ("< NULL", LessThan(id, Literal(null, LongType)), Never),
    ("float <", ratio < 1.0, leaf("ratio", Less(Value.Real64(1.0), orEqual = false))),
    ("float > is never refuted", ratio > 1.0, Unknown),
    ("NOT float < is a >=", Not(ratio < 1.0), Unknown),
    ("boolean column", flag, leaf("flag", OneOf(Seq(Value.Bool(true))))),
    ("NOT boolean column", Not(flag), leaf("flag", NotIn(Seq(Value.Bool(true))))),
    (
      "struct field",
      GetStructField(point, 1) === 2,
      leaf("point.y", OneOf(Seq(Value.Integral(2, 32))))),
    ("IS NULL", IsNull(id), leaf("id", Absent)),
    ("NOT IS NULL", Not(IsNull(id)), leaf("id", Present)),
    (
      "AND under NOT",
      Not(id === 1L && name === "a"),
      AnyOf(Seq(leaf("id", NotIn(Seq(long(1)))), leaf("name", NotIn(Seq(text("a"))))))),
    (
      "OR with an arm that cannot be read",
      id === 1L || Upper(name) === "A",
      AnyOf(Seq(leaf("id", OneOf(Seq(long(1)))), Unknown))),
    ("literal FALSE", Literal(false), Never),
    ("literal TRUE", Literal(true), Unknown),
    ("NOT literal NULL", Not(Literal(null, BooleanType)), Never),
    ("partition column, by any case", day === "x", Unknown),
    ("function of a column", Upper(name) === "A", Unknown),
    ("cast of a column", Cast(id, StringType) === "1", Unknown),
    ("two columns", id === id, Unknown)
  )

  cases.foreach { case (title, expression, expected) =>
    test(s"translates $title.") { assert(one(expression) == expected) }
  }

  test("leaves alone what depends on chance.") {
    assert(translator().translate(Seq(Rand(Literal(1L)) < 0.5)) == AllOf(Nil))
  }

  test("drops the IS NOT NULL that Catalyst infers, and keeps one that stands alone.") {
    assert(
      translator().translate(Seq(IsNotNull(name), Upper(name) === "A")) == AllOf(Seq(Unknown)))
    assert(translator().translate(Seq(IsNotNull(name))) == AllOf(Seq(leaf("name", Present))))
  }

  test("does not take a _metadata column for one of the file.") {
    val flags = new MetadataBuilder().putString(METADATA_COL_ATTR_KEY, "file_name").build()
    val attribute = AttributeReference("id", LongType, nullable = true, flags)()
    assert(one(attribute === 5L) == Unknown)
  }

  test("finds by id the column that the session finds by id, and none by an id that is no number.") {
    def attribute(ids: MetadataBuilder) =
      AttributeReference("id", LongType, nullable = true, ids.build())()
    val three = attribute(new MetadataBuilder().putLong("parquet.field.id", 3))
    val wild = attribute(new MetadataBuilder().putLong("parquet.field.id", 1L << 40))
    val test = OneOf(Seq(long(5)))
    def translated(byFieldId: Boolean, e: Expression) =
      translator(byFieldId).translate(Seq(e))
    assert(
      translated(byFieldId = true, three === 5L) == AllOf(
        Seq(Leaf(ColumnPath(Seq(ColumnPath.Field("id", Some(3)))), test))))
    assert(translated(byFieldId = true, wild === 5L) == AllOf(Seq(Unknown)))
    assert(translated(byFieldId = false, three === 5L) == AllOf(Seq(leaf("id", test))))
  }

  test("brings a decimal literal to the column's scale, or gives up.") {
    val price = AttributeReference("price", DecimalType(9, 2))()
    val exact = Literal(Decimal("1.5"), DecimalType(9, 2))
    assert(
      one(price === exact) ==
        leaf("price", OneOf(Seq(Value.Decimal(java.math.BigInteger.valueOf(150), 9, 2)))))
    assert(one(EqualTo(price, Literal(Decimal("1.555"), DecimalType(9, 3)))) == Unknown)
  }
}
