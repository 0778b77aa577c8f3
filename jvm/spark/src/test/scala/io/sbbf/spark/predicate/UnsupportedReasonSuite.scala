package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.dsl.expressions._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

class UnsupportedReasonSuite extends TranslatorSuite {
  private val other = AttributeReference("other", LongType)()

  private val table = Seq[(Expression, String)](
    (Upper(name) === "secret", "a function of the column: upper(name)"),
    (Literal(7L) === Remainder(id, Literal(9L)), "a function of the column: remainder(id)"),
    (Cast(name, IntegerType) === 5, "a cast of the column: cast(name as int)"),
    (id === other, "a comparison of two columns: id = other"),
    (In(id, Seq(Literal(1L), other)), "a comparison of two columns: id IN other"),
    (In(Upper(name), Seq(Literal("secret"))), "a function of the column: upper(name)"),
    (RLike(name, Literal("secret")), "unsupported expression: rlike(name)"),
    (Contains(name, Literal("secret")), "unsupported expression: contains(name)"),
    (day === "secret", "not a column of the files: day"),
    (
      EqualTo(price, Literal(Decimal("1.555"), DecimalType(9, 3))),
      "unsupported comparison with a literal: price of type decimal(9,2)"),
    (
      EqualTo(point, Literal.default(point.dataType)),
      "unsupported comparison with a literal: point of type struct<x:int,y:int>"),
    (If(Upper(name) === "secret", id === 5L, id === 6L), "a function of the column: upper(name)"),
    (Rand(Literal(1L)) < 0.5, "non-deterministic: rand()")
  )

  test("says which function or column stands in the way, and no value") {
    for ((predicate, reason) <- table)
      assert(translator().unused(Seq(predicate)) == Seq(reason), predicate)
  }

  test("says nothing of what is used, and each reason once") {
    val upper = Upper(name) === "A"
    assert(translator().unused(Seq(id === 5L, name === "a")) == Nil)
    assert(
      translator().unused(Seq(id === 5L, upper || RLike(name, Literal("a")), upper)) ==
        Seq("a function of the column: upper(name)", "unsupported expression: rlike(name)"))
  }
}
