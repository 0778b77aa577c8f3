package io.sbbf.spark.predicate

import org.apache.spark.sql.catalyst.dsl.expressions._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.RowGroupPredicate.{AllOf, False, Greater, Leaf, Less, True}

/** AND, OR, NOT, NULL and conditions, over tests of columns. */
class PredicateTranslatorSuite extends TranslatorSuite {
  private val isFive = leaf("id", in(long(5)))
  private val isNotFive = leaf("id", notIn(long(5)))
  private val isSix = leaf("id", in(long(6)))
  private val isA = leaf("name", in(text("a")))
  private val isNotA = leaf("name", notIn(text("a")))

  private val T = Literal(true)
  private val F = Literal(false)

  translates(
    ("AND", id === 5L && name === "a", AND(isFive, isA)),
    ("AND under NOT", Not(id === 5L && name === "a"), OR(isNotFive, isNotA)),
    ("OR under NOT", Not(id === 5L || name === "a"), AND(isNotFive, isNotA)),
    ("NOT under NOT", Not(Not(id === 5L)), isFive),
    ("OR with an arm that cannot be read", id === 5L || Upper(name) === "A", OR(isFive, unknown)),
    ("literal FALSE", F, False),
    ("literal TRUE", T, True),
    ("NOT literal NULL", Not(nullOf(BooleanType)), False),
    ("AND FALSE", id === 5L && F, False),
    ("OR FALSE", id === 5L || F, isFive),
    ("OR TRUE", id === 5L || T, True),
    ("constants that are no literals yet", Literal(3) < Literal(2), False),
    ("column = what can be evaluated", id === Add(Literal(2L), Literal(3L)), isFive),
    (
      "what raises an error",
      id === Divide(Literal(1.0), Literal(0.0), EvalMode.ANSI).cast(LongType),
      unknown)
  )

  translates(
    ("(c = v) = TRUE", (id === 5L) === T, isFive),
    ("FALSE = (c = v)", F === (id === 5L), isNotFive),
    ("(c = v) = NULL", (id === 5L) === nullOf(BooleanType), False),
    ("(c = v) <=> TRUE", (id === 5L) <=> T, isFive),
    ("NOT ((c = v) <=> TRUE) also of NULL", Not((id === 5L) <=> T), OR(isNotFive, absent("id"))),
    ("(c = v) <=> FALSE", (id === 5L) <=> F, isNotFive),
    ("NOT ((c = v) <=> FALSE)", Not((id === 5L) <=> F), OR(isFive, absent("id"))),
    ("(c = v) <=> NULL", (id === 5L) <=> nullOf(BooleanType), absent("id")),
    ("NOT ((c = v) <=> NULL)", Not((id === 5L) <=> nullOf(BooleanType)), present("id")),
    ("(c = v) IS NULL", IsNull(id === 5L), absent("id")),
    (
      "(c = v AND d = w) IS NULL",
      IsNull(id === 5L && name === "a"),
      OR(absent("id"), absent("name"))),
    ("(c = v AND d = w) IS NOT NULL", IsNotNull(id === 5L && name === "a"), unknown),
    (
      "NOT ((c = v AND d = w) <=> TRUE)",
      Not((id === 5L && name === "a") <=> T),
      OR(isNotFive, absent("id"), isNotA, absent("name"))),
    (
      "NOT ((c = v OR d = w) <=> TRUE)",
      Not((id === 5L || name === "a") <=> T),
      AND(OR(isNotFive, absent("id")), OR(isNotA, absent("name")))),
    ("two comparisons compared", (id === 5L) === (name === "a"), unknown)
  )

  translates(
    ("IF", If(id === 5L, name === "a", F), AND(isFive, isA)),
    (
      "IF with both arms",
      If(id === 5L, name === "a", name <=> nullOf(StringType)),
      OR(AND(isFive, isA), AND(OR(isNotFive, absent("id")), absent("name")))),
    (
      "NOT IF",
      Not(If(id === 5L, name === "a", F)),
      OR(AND(isFive, isNotA), isNotFive, absent("id"))),
    ("CASE without ELSE", CaseWhen(Seq((id === 5L, T), (name === "a", F))), isFive),
    (
      "a CASE's second branch, where the first is not met",
      CaseWhen(Seq((id === 5L, F), (name === "a", T)), F),
      AND(OR(isNotFive, absent("id")), isA)),
    (
      "a compared CASE",
      CaseWhen(Seq((name === "a", Literal(1))), Some(Literal(2))) === Literal(1),
      isA),
    ("coalesce(c, other) = v", Coalesce(Seq(id, Literal(6L))) === 5L, isFive),
    ("coalesce(c, v) = v", Coalesce(Seq(id, Literal(5L))) === 5L, OR(isFive, absent("id"))),
    ("coalesce(c, v) <> v", Not(Coalesce(Seq(id, Literal(5L))) === 5L), isNotFive),
    (
      "v < coalesce(c, below)",
      Literal(5L) < Coalesce(Seq(id, Literal(0L))),
      leaf("id", Greater(long(5), orEqual = false))),
    (
      "coalesce(c, v) IN (...)",
      In(Coalesce(Seq(id, Literal(6L))), Seq(Literal(5L), Literal(6L))),
      OR(leaf("id", in(long(5), long(6))), absent("id"))),
    ("coalesce of a test", Coalesce(Seq(id === 5L, T)), OR(isFive, absent("id"))),
    (
      "nullif(c, v) = w",
      If(id === 5L, nullOf(LongType), id) === 6L,
      AND(OR(isNotFive, absent("id")), isSix)),
    (
      "nullif(c, v) = v",
      If(id === 5L, nullOf(LongType), id) === 5L,
      AND(OR(isNotFive, absent("id")), isFive)),
    (
      "nullif(c, v) IS NULL",
      IsNull(If(id === 5L, nullOf(LongType), id)),
      OR(isFive, AND(OR(isNotFive, absent("id")), absent("id")))),
    ("IF on what cannot be read", If(Upper(name) === "A", id === 5L, id === 6L), unknown),
    ("IF on an IF", If(If(id === 5L, T, F), isNotNull(name), F), unknown)
  )

  private def isNotNull(e: Expression) = IsNotNull(e)

  test("does not look in files for the parts of a VARIANT that Spark makes columns of.") {
    val part = new MetadataBuilder().putString("__VARIANT_METADATA_KEY", "$.a").build()
    val parts = new StructType().add("0", LongType, nullable = true, part)
    val variant = AttributeReference("v", parts)()
    assert(!translator().translate(Seq(GetStructField(variant, 0) === 5L)).canPrune)
  }

  test("joins the tests that AND puts to one column.") {
    val between = AllOf(Seq(Greater(long(5), orEqual = true), Less(long(9), orEqual = false)))
    assert(
      translated(IsNotNull(id), id >= 5L, name === "a", id < 9L) ==
        AND(leaf("id", between), isA))
    assert(translated(id >= 5L && id < 9L || id === 6L) == OR(leaf("id", between), isSix))
    assert(translated(Not(id < 5L || id >= 9L)) == leaf("id", between))
    val (x, y) = (GetStructField(point, 0), GetStructField(point, 1))
    assert(
      translated(x > 1, y > 1, x < 3).leaves.map(_.column) ==
        Seq(ColumnPath.named(Seq("point", "x")), ColumnPath.named(Seq("point", "y"))))
  }

  test("ignores a non-deterministic filter.") {
    assert(translator().translate(Seq(Rand(Literal(1L)) < 0.5)) == True)
  }

  test("drops the IS NOT NULL that Catalyst infers, and keeps one that stands alone.") {
    assert(translated(IsNotNull(name), Upper(name) === "A") == unknown)
    assert(translated(IsNotNull(name)) == present("name"))
  }

  test("does not take a _metadata column for one of the file.") {
    val attribute = FileSourceMetadataAttribute("id", LongType)
    assert(translated(attribute === 5L) == unknown)
  }

  test(
    "finds by id the column that the session finds by id, and none by an id that is no number.") {
    def attribute(ids: MetadataBuilder) =
      AttributeReference("id", LongType, nullable = true, ids.build())()
    val three = attribute(new MetadataBuilder().putLong("parquet.field.id", 3))
    val wild = attribute(new MetadataBuilder().putLong("parquet.field.id", 1L << 40))
    def found(e: Expression) = translator(byFieldId = true).translate(Seq(e))
    val byId = ColumnPath(Seq(ColumnPath.Field("id", Some(3))))
    assert(found(three === 5L) == Leaf(byId, in(long(5))))
    assert(!found(wild === 5L).canPrune)
    assert(translated(three === 5L) == isFive)
  }
}
