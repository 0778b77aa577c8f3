package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.dsl.expressions._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.RowGroupPredicate.{AllOf, False, Greater, IsNullDecimal, Less, True}
import io.sbbf.core.predicate.Value

/** Tests of one column with constants. */
class ColumnPredicatesSuite extends TranslatorSuite {
  private val withNull = Seq(Literal(1L), nullOf(LongType))

  translates(
    ("= literal", id === 5L, leaf("id", in(long(5)))),
    ("literal =", Literal(5L) === id, leaf("id", in(long(5)))),
    ("= string", name === "a", leaf("name", in(text("a")))),
    ("= NULL", EqualTo(id, nullOf(LongType)), False),
    ("NOT = NULL", Not(EqualTo(id, nullOf(LongType))), False),
    ("NOT (c = NULL <=> TRUE)", Not((id === nullOf(LongType)) <=> Literal(true)), True),
    ("<=> literal", id <=> 5L, leaf("id", in(long(5)))),
    ("<=> NULL", id <=> nullOf(LongType), absent("id")),
    (
      "NOT <=> literal also matches NULL",
      Not(id <=> 5L),
      OR(leaf("id", notIn(long(5))), absent("id"))),
    ("NOT <=> NULL", Not(id <=> nullOf(LongType)), present("id")),
    ("IN ()", In(id, Nil), False),
    ("NOT IN () holds for NULL too", Not(In(id, Nil)), unknown),
    ("IN with NULL drops the NULL", In(id, withNull), leaf("id", in(long(1)))),
    ("NOT IN with NULL never matches", Not(In(id, withNull)), False),
    (
      "NOT (IN with NULL <=> TRUE)",
      Not(In(id, withNull) <=> Literal(true)),
      OR(leaf("id", notIn(long(1))), absent("id"))),
    ("NOT (IN with NULL <=> FALSE) matches all", Not(In(id, withNull) <=> Literal(false)), True),
    ("IN (NULL)", In(id, Seq(nullOf(LongType))), False),
    ("NOT IN (v, NULL) of a real", Not(In(ratio, Seq(0.5, nullOf(DoubleType)))), unknown),
    ("NOT IN", Not(In(id, Seq(Literal(1L), Literal(2L)))), leaf("id", notIn(long(1), long(2)))),
    ("IN of a column", In(id, Seq(Literal(1L), id)), unknown),
    ("INSET", InSet(id, Set(7L)), leaf("id", in(long(7)))),
    ("<", id < 3L, leaf("id", Less(long(3), orEqual = false))),
    ("literal <", Literal(3L) < id, leaf("id", Greater(long(3), orEqual = false))),
    ("NOT <", Not(id < 3L), leaf("id", Greater(long(3), orEqual = true))),
    ("> literal", id > 3L, leaf("id", Greater(long(3), orEqual = false))),
    ("literal >=", Literal(3L) >= id, leaf("id", Less(long(3), orEqual = true))),
    ("< NULL", LessThan(id, nullOf(LongType)), False),
    ("float >", ratio > 1.0, leaf("ratio", Greater(Value.DoubleLiteral(1.0), orEqual = false))),
    (
      "NOT float <",
      Not(ratio < 1.0),
      leaf("ratio", Greater(Value.DoubleLiteral(1.0), orEqual = true))),
    ("isnan", IsNaN(ratio), leaf("ratio", in(Value.DoubleLiteral(Double.NaN)))),
    (
      "NOT isnan also matches NULL",
      Not(IsNaN(ratio)),
      OR(leaf("ratio", notIn(Value.DoubleLiteral(Double.NaN))), absent("ratio"))),
    ("boolean column", flag, leaf("flag", in(Value.Bool(true)))),
    ("NOT boolean column", Not(flag), leaf("flag", notIn(Value.Bool(true)))),
    (
      "struct field",
      GetStructField(point, 1) === 2,
      leaf("point.y", in(Value.IntegerLiteral(2, 32)))),
    ("IS NULL", IsNull(id), absent("id")),
    ("NOT IS NULL", Not(IsNull(id)), present("id")),
    (
      "IS NULL of a decimal, which Spark may not be able to hold",
      IsNull(price),
      leaf("price", IsNullDecimal(9, 2))),
    ("IS NOT NULL of a decimal", IsNotNull(price), present("price")),
    ("partition column, by any case", day === "x", unknown),
    ("function of a column", Upper(name) === "A", unknown),
    ("cast of a column", Cast(id, StringType) === "1", leaf("id", in(long(1)))),
    ("two columns", id === id, unknown)
  )

  private def between(from: String, until: String) =
    leaf(
      "name",
      AllOf(Seq(Greater(text(from), orEqual = true), Less(text(until), orEqual = false))))
  private def outside(from: String, until: String) = OR(
    leaf("name", Less(text(from), orEqual = false)),
    leaf("name", Greater(text(until), orEqual = true)))
  private def like(pattern: String) = Like(name, Literal(pattern), '\\')

  translates(
    ("startsWith", StartsWith(name, Literal("ab")), between("ab", "ac")),
    ("NOT startsWith", Not(StartsWith(name, Literal("ab"))), outside("ab", "ac")),
    (
      "startsWith <=> FALSE",
      StartsWith(name, Literal("ab")) <=> Literal(false),
      outside("ab", "ac")),
    ("startsWith nothing", StartsWith(name, Literal("")), present("name")),
    ("NOT startsWith nothing", Not(StartsWith(name, Literal(""))), False),
    ("startsWith NULL", StartsWith(name, nullOf(StringType)), False),
    ("LIKE without a wildcard", like("ab"), leaf("name", in(text("ab")))),
    ("NOT LIKE without a wildcard", Not(like("ab")), leaf("name", notIn(text("ab")))),
    ("LIKE prefix", like("ab%"), between("ab", "ac")),
    ("NOT LIKE prefix", Not(like("ab%")), outside("ab", "ac")),
    ("LIKE with more behind its prefix", like("ab%c"), AND(between("ab", "ac"), unknown)),
    ("NOT LIKE with more behind its prefix", Not(like("ab%c")), unknown),
    ("LIKE suffix", like("%c"), unknown),
    ("LIKE of a function", Like(Upper(name), Literal("A%"), '\\'), unknown),
    ("LIKE NULL", Like(name, nullOf(StringType), '\\'), False)
  )

  test("bounds a prefix that ends in many bytes by the next text.") {
    val bytes = Value.Bytes(Array(0xf0, 0x9f, 0x98, 0x81).map(_.toByte), text = true)
    assert(
      translated(StartsWith(name, Literal("😀"))).leaves.head.test ==
        AllOf(Seq(Greater(text("😀"), orEqual = true), Less(bytes, orEqual = false))))
  }

  test("brings a decimal literal to the column's scale, or gives up.") {
    val exact = Literal(Decimal("1.5"), DecimalType(9, 2))
    assert(
      translated(price === exact) ==
        leaf("price", in(Value.Decimal(java.math.BigInteger.valueOf(150), 9, 2))))
    assert(translated(EqualTo(price, Literal(Decimal("1.555"), DecimalType(9, 3)))) == unknown)
  }
}
