package io.sbbf.spark.predicate
import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.{RowGroupPredicate, Value}
import io.sbbf.spark.testing.SparkSuite

/** Translates each form of a predicate on arrays and maps, as Spark's optimizer leaves it. */
class NestedFormsSuite extends SparkSuite {

  private lazy val table: String = saved(
    "forms",
    spark.sql("""SELECT id, array(id) AS a, array(array(id)) AS aa,
      array(named_struct('id', id, 'k', 'x', 'tags', array('t'))) AS s,
      map('x', id) AS m, map(1, array(named_struct('id', id))) AS ms,
      named_struct('xs', array(CAST(id AS DOUBLE)), 'f', array(true)) AS st
      FROM range(10)""")
  )

  /** Returns the predicate that is evaluated on the files, or "" if there is none. */
  private def translated(condition: String): String =
    pruning(spark.read.parquet(table).where(condition))
      .map(_.predicate)
      .filter(_.canPrune)
      .map(text)
      .getOrElse("")

  private def text(predicate: RowGroupPredicate): String = predicate match {
    case And(Seq(only)) => text(only)
    case And(children) => children.map(text).mkString("(", " AND ", ")")
    case Or(children) => children.map(text).mkString("(", " OR ", ")")
    case Leaf(column, AllOf(tests)) => tests.map(t => text(Leaf(column, t))).mkString(" & ")
    case Leaf(column, In(values)) => s"$column = ${values.map(text).mkString("|")}"
    case Leaf(column, NotIn(values)) => s"$column <> ${values.map(text).mkString("|")}"
    case Leaf(column, Less(than, orEqual)) =>
      s"$column <${if (orEqual) "=" else ""} ${text(than)}"
    case Leaf(column, Greater(than, orEqual)) =>
      s"$column >${if (orEqual) "=" else ""} ${text(than)}"
    case Leaf(column, test) => s"$column $test"
    case False => "never"
    case True => "always"
    case _ => "?"
  }

  private def text(value: Value): String = value match {
    case Value.IntegerLiteral(v, _) => v.toString
    case Value.DoubleLiteral(v) => v.toString
    case Value.Bytes(bytes, _) => new String(bytes, "UTF-8")
    case Value.Bool(v) => v.toString
    case other => other.toString
  }

  private val forms: Seq[(String, String)] = Seq(
    "array_contains(a, 5)" -> "a.element = 5",
    "array_contains(st.xs, 5.0D)" -> "st.xs.element = 5.0",
    "array_contains(s.id, 5)" -> "s.element.id = 5",
    "array_contains(map_keys(m), 'x')" -> "m.key = x",
    "array_contains(map_values(m), 5)" -> "m.value = 5",
    "array_contains(array(1L, 2L, NULL), id)" -> "id = 1|2",
    "NOT array_contains(array(1L, 2L), id)" -> "id <> 1|2",
    "NOT array_contains(a, 5)" -> "",
    "NOT (NOT array_contains(a, 5))" -> "a.element = 5",
    "array_contains(a, 5) OR id = 7" -> "(a.element = 5 OR id = 7)",
    "array_contains(a, 5) AND NOT array_contains(a, 6)" -> "(a.element = 5 AND ?)",
    "array_contains(a, 5) OR NOT array_contains(a, 6)" -> "",
    "array_contains(a, 5) IS NULL" -> "",
    "array_contains(aa[0], 5)" -> "",
    "array_contains(get(aa, 0), 5)" -> "aa.element.element = 5",
    "exists(a, x -> x = 5)" -> "a.element = 5",
    "exists(a, x -> x IN (5, 6, NULL))" -> "a.element = 5|6",
    "exists(a, x -> x NOT IN (5, 6))" -> "a.element <> 5|6",
    "exists(a, x -> NOT (x < 5))" -> "a.element >= 5",
    "exists(a, x -> x > 5 AND x <= 9)" -> "a.element > 5 & a.element <= 9",
    "exists(a, x -> x > 5) AND exists(a, x -> x < 3)" -> "(a.element > 5 AND a.element < 3)",
    "exists(a, x -> x > 5 AND get(a, 1) < 3)" -> "(a.element > 5 AND a.element < 3 AND ?)",
    "exists(s, x -> x.id > 5 AND x.id < 9 AND x.k = 'y')" ->
      "(s.element.id > 5 & s.element.id < 9 AND s.element.k = y)",
    "exists(s, x -> x.k LIKE 'y%')" -> "s.element.k >= y & s.element.k < z",
    "exists(a, x -> (x = 5) IS NOT NULL OR TRUE)" -> "",
    "id = 7 OR exists(a, x -> (x <=> 5) IS NOT NULL)" -> "",
    "exists(a, x -> x IS NULL)" -> "",
    "exists(a, x -> x IS NOT NULL)" -> "",
    "exists(a, x -> x IS NULL OR x = 5)" -> "",
    "exists(a, x -> x <=> 5)" -> "a.element = 5",
    "exists(a, x -> NOT (x <=> 5))" -> "",
    "exists(a, x -> x = id)" -> "",
    "exists(array(1L, 2L, 3L), x -> x = id)" -> "",
    "exists(array(1L, 2L, 3L), x -> x = 3)" -> "",
    "size(filter(array(1L, 2L, 3L), x -> x = id)) > 0" -> "",
    "exists(s, x -> exists(array(1L, 2L), y -> y = x.id))" -> "",
    "exists(a, x -> x = 5 AND id = 7)" -> "(a.element = 5 AND id = 7 AND ?)",
    "exists(s, x -> x.id = 1 AND x.k = 'y')" -> "(s.element.id = 1 AND s.element.k = y)",
    "exists(s, x -> x.id = 1 OR x.k = 'y')" -> "(s.element.id = 1 OR s.element.k = y)",
    "exists(s, x -> x.id = 1 AND upper(x.k) = 'Y')" -> "(s.element.id = 1 AND ?)",
    "exists(s, x -> array_contains(x.tags, 'u'))" -> "s.element.tags.element = u",
    "exists(s, x -> NOT array_contains(x.tags, 'u'))" -> "",
    "exists(s, x -> exists(x.tags, y -> y = 'u' AND x.id = 1))" ->
      "(s.element.tags.element = u AND s.element.id = 1 AND ?)",
    "exists(aa, x -> exists(x, y -> y = 5))" -> "aa.element.element = 5",
    "exists(st.f, x -> x)" -> "st.f.element = true",
    "exists(st.f, x -> NOT x)" -> "st.f.element <> true",
    "exists(map_keys(m), k -> k = 'x')" -> "m.key = x",
    "exists(map_entries(m), e -> e.key = 'x' AND e.value = 5)" -> "(m.key = x AND m.value = 5)",
    "NOT exists(a, x -> x = 5)" -> "",
    "forall(a, x -> x = 5)" -> "",
    "arrays_overlap(a, array(5L, NULL, 6L))" -> "a.element = 5|6",
    "arrays_overlap(array(5L), a)" -> "a.element = 5",
    "arrays_overlap(s.k, array('x'))" -> "s.element.k = x",
    "NOT arrays_overlap(a, array(5L))" -> "",
    "arrays_overlap(a, a)" -> "",
    "map_contains_key(m, 'x')" -> "m.key = x",
    "NOT map_contains_key(m, 'x')" -> "",
    "m['x'] = 5" -> "(m.key = x AND m.value = 5)",
    "m['x'] > 5" -> "(m.key = x AND m.value > 5)",
    "m['x'] <> 5" -> "(m.key = x AND m.value <> 5)",
    "NOT (m['x'] = 5)" -> "(m.key = x AND m.value <> 5)",
    "m['x'] IN (5, 6)" -> "(m.key = x AND m.value = 5|6)",
    "m['x'] IS NULL" -> "",
    "m['x'] IS NOT NULL" -> "(? AND m.key = x)",
    "m['x'] <=> 5" -> "(m.key = x AND m.value = 5)",
    "NOT (m['x'] <=> 5)" -> "",
    "NOT (m['x'] <=> NULL)" -> "(? AND m.key = x)",
    "element_at(m, 'x') = 5" -> "(m.key = x AND m.value = 5)",
    "try_element_at(m, 'x') = 5" -> "(m.key = x AND m.value = 5)",
    "get(ms[1], 0).id = 5" -> "(ms.key = 1 AND ms.value.element.id = 5)",
    "exists(ms[1], x -> x.id = 5)" -> "(ms.key = 1 AND ms.value.element.id = 5)",
    "get(a, 0) = 5" -> "a.element = 5",
    "get(a, 0) <> 5" -> "a.element <> 5",
    "get(a, 0) IS NULL" -> "",
    "get(s, 1).id < 5" -> "s.element.id < 5",
    "get(s.id, 1) = 5" -> "s.element.id = 5",
    "try_element_at(a, -1) = 5" -> "a.element = 5",
    "a[0] = 5" -> "",
    "element_at(a, 1) = 5" -> "",
    "array_position(a, 5) > 0" -> "a.element = 5",
    "array_position(a, 5) = 2" -> "a.element = 5",
    "array_position(a, 5) <> 0" -> "a.element = 5",
    "1 <= array_position(a, 5)" -> "a.element = 5",
    "array_position(a, 5) = 0" -> "",
    "array_position(a, 5) >= 0" -> "",
    "NOT (array_position(a, 5) > 0)" -> "",
    "array_position(a, 5) <=> NULL" -> "",
    "array_position(a, 5) > id" -> "",
    "size(filter(a, x -> x = 5)) > 0" -> "a.element = 5",
    "size(filter(a, x -> x = 5)) = 0" -> "",
    "size(filter(a, x -> x = 5)) <> 0" -> "",
    "size(filter(a, (x, i) -> x = 5)) > 0" -> "",
    "size(a) > 0" -> "",
    "a IS NOT NULL" -> "",
    "s IS NULL" -> "",
    "st IS NOT NULL" -> "",
    "a = array(5L)" -> "",
    "st.xs = array(5.0D)" -> ""
  )

  for ((condition, expected) <- forms)
    test(s"$condition is translated to: ${if (expected.isEmpty) "nothing" else expected}.") {
      withConf("spark.sql.ansi.enabled" -> "true", "spark.sbbf.planning.sampleFiles" -> "0") {
        assert(translated(condition) == expected)
      }
    }

  for ((condition, expected) <- Seq(
      "a[0] = 5" -> "a.element = 5",
      "element_at(a, 1) = 5" -> "a.element = 5",
      "s[0].id = 5" -> "s.element.id = 5",
      "element_at(a, 0) = 5" -> "",
      "a[id] = 5" -> ""))
    test(s"$condition is translated to: $expected, where a short array is no error.") {
      withConf("spark.sql.ansi.enabled" -> "false")(assert(translated(condition) == expected))
    }

  test("guards that Catalyst adds around generators cause no reads.") {
    val exploded = spark.read.parquet(table).selectExpr("explode(a) AS x").where("x = 5")
    assert(pruning(exploded).isEmpty)
  }
}
