package io.sbbf.parquet.eval

import org.apache.parquet.example.data.Group
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.ColumnPath.{Element, Field, Key, Step, Value => MapValue}
import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.Verdict.{AllMatch, CannotMatch, MightMatch}
import io.sbbf.core.predicate.{ColumnPath, Value}
import io.sbbf.parquet.model.LeafResult
import io.sbbf.parquet.testing.{TestFile, TestFiles}

/** Evaluates lists and maps, in every form that writers use, as Spark reads them. */
final class NestedColumnsSuite extends AnyFunSuite {
  import NestedColumnsSuite._
  import TestFiles.{write, Style}

  private def path(steps: Step*): ColumnPath = ColumnPath(Field("a") +: steps)

  /** Title, schema of the column `a`, the path of the numbers, and how a row of them is added. */
  private val forms: Seq[(String, String, ColumnPath, (Group, Seq[Long]) => Unit)] = {
    def twoLevels(repeated: String)(g: Group, values: Seq[Long]): Unit = {
      val list = g.addGroup("a")
      values.foreach(list.append(repeated, _))
    }
    def threeLevels(repeated: String, element: String)(g: Group, values: Seq[Long]): Unit = {
      val list = g.addGroup("a")
      values.foreach(list.addGroup(repeated).append(element, _))
    }
    Seq(
      (
        "the standard list of three levels",
        "optional group a (LIST) { repeated group list { optional int64 element; } }",
        path(Element),
        threeLevels("list", "element")),
      (
        "a list as Hive and old versions of Spark write it",
        "optional group a (LIST) { repeated group bag { optional int64 array; } }",
        path(Element),
        threeLevels("bag", "array")),
      (
        "a list of two levels",
        "optional group a (LIST) { repeated int64 array; }",
        path(Element),
        twoLevels("array")),
      (
        "a repeated number",
        "repeated int64 a;",
        path(Element),
        (g, values) => values.foreach(g.append("a", _))),
      (
        "a repeated group",
        "repeated group a { optional int64 id; }",
        path(Element, Field("id")),
        (g, values) => values.foreach(g.addGroup("a").append("id", _))),
      (
        "a standard list of structs",
        """optional group a (LIST) { repeated group list {
          optional group element { optional int64 id; } } }""",
        path(Element, Field("id")),
        { (g, values) =>
          val list = g.addGroup("a")
          values.foreach(list.addGroup("list").addGroup("element").append("id", _))
        }),
      (
        "structs of one field as parquet-avro writes them",
        "optional group a (LIST) { repeated group array { required int64 id; } }",
        path(Element, Field("id")),
        threeLevels("array", "id")),
      (
        "structs of one field as parquet-thrift writes them",
        "optional group a (LIST) { repeated group a_tuple { required int64 id; } }",
        path(Element, Field("id")),
        threeLevels("a_tuple", "id")),
      (
        "structs of two fields in two levels",
        """optional group a (LIST) { repeated group list {
          required int64 id; optional int64 other; } }""",
        path(Element, Field("id")),
        threeLevels("list", "id")),
      (
        "a list of lists",
        """optional group a (LIST) { repeated group list { optional group element (LIST) {
          repeated group list { optional int64 element; } } } }""",
        path(Element, Element),
        { (g, values) =>
          val outer = g.addGroup("a")
          values.foreach { v =>
            outer.addGroup("list").addGroup("element").addGroup("list").append("element", v)
          }
        }),
      (
        "a list of lists of two levels",
        """optional group a (LIST) { repeated group array (LIST) { repeated int64 array; } }""",
        path(Element, Element),
        (g, values) => {
          val l = g.addGroup("a"); values.foreach(l.addGroup("array").append("array", _))
        }),
      (
        "the keys of a map",
        """optional group a (MAP) { repeated group key_value {
          required int64 key; optional int64 value; } }""",
        path(Key),
        threeLevels("key_value", "key")),
      (
        "the values of a map whose parts have other names",
        """optional group a (MAP_KEY_VALUE) { repeated group map {
          optional binary k; optional int64 v; } }""",
        path(MapValue),
        threeLevels("map", "v")),
      (
        "a field of a map's values",
        """optional group a (MAP) { repeated group map (MAP_KEY_VALUE) {
          required binary key (STRING); optional group value { optional int64 id; } } }""",
        path(MapValue, Field("id")),
        { (g, values) =>
          val map = g.addGroup("a")
          values.foreach { v =>
            val entry = map.addGroup("map").append("key", "k")
            entry.addGroup("value").append("id", v)
          }
        })
    )
  }

  for ((title, schema, path, add) <- forms)
    test(s"$title: values that no row holds are ruled out") {
      val rows: Seq[Seq[Long]] = Seq(Seq(10, 30), Nil, Seq(30, 50, 50), Seq(70))
      for (dictionary <- Seq(true, false)) {
        val file = new TestFile(
          write(
            s"message m { $schema }",
            Style(dictionary = dictionary, filters = leaves(schema).map(_ -> 10).toMap),
            rows.iterator.map(values => (g: Group) => add(g, values))))
        def verdict(test: Test) = file.evaluate(path, test).map(_.verdict)
        val table = Seq(
          In(Seq(long(30))) -> MightMatch,
          In(Seq(long(40), long(70))) -> MightMatch,
          In(Seq(long(40), long(60))) -> CannotMatch,
          In(Seq(long(-1))) -> CannotMatch,
          NotIn(Seq(long(10), long(30), long(50))) -> MightMatch,
          Less(long(10), orEqual = false) -> CannotMatch,
          Less(long(10), orEqual = true) -> MightMatch,
          Less(long(99), orEqual = true) -> MightMatch,
          Greater(long(70), orEqual = false) -> CannotMatch,
          Greater(long(0), orEqual = false) -> MightMatch,
          IsNull -> MightMatch,
          IsNotNull -> MightMatch
        )
        for ((test, expected) <- table) assert(verdict(test) == Seq(expected), s"$test")
        if (dictionary)
          assert(verdict(NotIn(Seq(10, 30, 50, 70).map(long(_)))) == Seq(CannotMatch))
      }
    }

  test("where no row holds a value but NULL, no test of one passes") {
    val schema =
      "message m { optional group a (LIST) { repeated group list { optional int64 element; } } }"
    val absent: Seq[Group => Unit] =
      Seq(_ => (), g => { g.addGroup("a"); () }, g => { g.addGroup("a").addGroup("list"); () })
    val file = new TestFile(write(schema, Style(), absent.iterator))
    val tests = Seq(In(Seq(long(1))), NotIn(Seq(long(1))), Less(long(1), orEqual = true))
    for (test <- tests)
      assert(file.evaluate(path(Element), test) == Seq(LeafResult.AllNull), s"$test")
    for (test <- Seq(IsNull, IsNotNull))
      assert(file.evaluate(path(Element), test) == Seq(LeafResult.RepeatedColumn))
    val one = new TestFile(
      write(
        schema,
        Style(),
        (absent :+ ((g: Group) => {
          g.addGroup("a").addGroup("list").append("element", 1L); ()
        })).iterator))
    // as many NULLs as rows, and yet a value
    assert(one.evidence.nullCount(0, 0) == 3 && one.footer.numRows(0) == 4)
    assert(one.evaluate(path(Element), In(Seq(long(1)))).head.verdict == MightMatch)
  }

  test("that all values pass never means that all rows do") {
    val file = new TestFile(
      write(
        "message m { repeated int64 a; required int64 b; }",
        Style(),
        Iterator(
          (g: Group) => { g.append("a", 5L).append("b", 5L); () },
          (g: Group) => {
            g.append("b", 5L); ()
          })
      ))
    val test = Less(long(9), orEqual = false)
    assert(file.evaluate(ColumnPath.named(Seq("b")), test).head.verdict == AllMatch)
    assert(file.evaluate(path(Element), test).head.verdict == MightMatch)
  }

  private val list3 =
    "optional group a (LIST) { repeated group list { optional int64 element; } }"
  private val refused: Seq[(String, String, ColumnPath, LeafResult)] = Seq(
    ("a list read as a column", list3, path(), LeafResult.SchemaMismatch),
    (
      "a repeated number read as a column",
      "repeated int64 a;",
      path(),
      LeafResult.RepeatedColumn),
    ("a number read as an array", "optional int64 a;", path(Element), LeafResult.RepeatedColumn),
    (
      "a struct read as an array",
      "optional group a { optional int64 b; }",
      path(Element),
      LeafResult.RepeatedColumn),
    (
      "a list read as a struct",
      list3,
      path(Field("list"), Field("element")),
      LeafResult.RepeatedColumn),
    ("a list read as a map", list3, path(Key), LeafResult.RepeatedColumn),
    ("a list read as a list of lists", list3, path(Element, Element), LeafResult.RepeatedColumn),
    (
      "a list read as one of structs",
      list3,
      path(Element, Field("id")),
      LeafResult.SchemaMismatch),
    (
      "a repeated number read as a list of lists",
      "repeated int64 a;",
      path(Element, Element),
      LeafResult.RepeatedColumn),
    (
      "a list with two repeated fields",
      "optional group a (LIST) { repeated int64 x; repeated int64 y; }",
      path(Element),
      LeafResult.RepeatedColumn),
    (
      "a list without a repeated field",
      "optional group a (LIST) { optional int64 element; }",
      path(Element),
      LeafResult.RepeatedColumn),
    (
      "a list that is repeated itself",
      "repeated group a (LIST) { repeated int64 array; }",
      path(Element),
      LeafResult.RepeatedColumn),
    (
      "a list whose element is repeated once more",
      "optional group a (LIST) { repeated group list { repeated int64 element; } }",
      path(Element),
      LeafResult.RepeatedColumn),
    (
      "a map without values",
      "optional group a (MAP) { repeated group key_value { required int64 key; } }",
      path(Key),
      LeafResult.RepeatedColumn),
    (
      "a group in three levels that nobody calls a list",
      "optional group a { repeated group list { optional int64 element; } }",
      path(Element),
      LeafResult.RepeatedColumn),
    (
      "structs with a field named like the list's innermost group",
      """optional group a (LIST) { repeated group list { optional group element {
        optional int64 element; } } }""",
      path(Element, Field("Element")),
      LeafResult.AmbiguousColumn)
  )

  for ((title, schema, path, expected) <- refused)
    test(s"$title decides nothing") {
      val file = new TestFile(write(s"message m { $schema }", Style(), Iterator(_ => ())))
      assert(file.evaluate(path, In(Seq(long(5)))) == Seq(expected))
    }

  test("fields are found by id where the path has one, and only where one field has it") {
    val file = new TestFile(
      write(
        """message m { required int64 a = 1; required int64 b = 2; required int64 c = 2;
          required int64 d; required group s = 4 { required int64 x = 1; } }""",
        Style(),
        Iterator { (g: Group) =>
          Seq("a" -> 10L, "b" -> 20L, "c" -> 30L, "d" -> 40L).foreach { case (n, v) =>
            g.append(n, v)
          }
          g.addGroup("s").append("x", 50L)
          ()
        }
      ))
    def result(value: Long, steps: Step*) =
      file.evaluate(ColumnPath(steps), In(Seq(long(value)))).head
    assert(result(10, Field("b", Some(1))).verdict == MightMatch)
    assert(result(20, Field("b", Some(1))) == LeafResult.OutsideBounds)
    assert(result(20, Field("b")).verdict == MightMatch)
    assert(result(20, Field("b", Some(2))) == LeafResult.AmbiguousColumn)
    assert(result(20, Field("b", Some(9))) == LeafResult.SchemaMismatch)
    assert(result(40, Field("d", Some(0))) == LeafResult.SchemaMismatch)
    assert(result(50, Field("z", Some(4)), Field("y", Some(1))).verdict == MightMatch)
    assert(result(10, Field("z", Some(4)), Field("y", Some(1))) == LeafResult.OutsideBounds)
  }
}

object NestedColumnsSuite {
  private def long(v: Long): Value = Value.IntegerLiteral(v, 64)

  /** The paths of all columns, in the file's names. */
  private def leaves(schema: String): Seq[String] = {
    val kind = MessageTypeParser.parseMessageType(s"message m { $schema }")
    kind.getPaths.toArray(Array.empty[Array[String]]).toSeq.map(_.mkString("."))
  }
}
