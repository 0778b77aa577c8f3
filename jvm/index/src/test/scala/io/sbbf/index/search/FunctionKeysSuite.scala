package io.sbbf.index.search

import org.apache.hadoop.fs.FileStatus
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.ColumnPath.{Element, Field, Function}
import io.sbbf.core.predicate.KeyFunction.{Lower, NGrams, Tokens}
import io.sbbf.core.predicate.RowGroupPredicate.{And, In, Leaf, Or, Unknown}
import io.sbbf.core.predicate.{ColumnPath, KeyFunction, RowGroupPredicate, Value}
import io.sbbf.index.testing.IndexedFolder
import io.sbbf.index.testing.IndexedFolder.kept
import io.sbbf.parquet.testing.TestFiles.Style

/** Looks keys of functions up, in files with and without dictionaries. */
class FunctionKeysSuite extends AnyFunSuite {

  /** Files of four row groups with 100 rows each; file n has ids from 1,000 n on. */
  private final class Table(style: Style, files: Int) extends IndexedFolder {
    private def add(n: Int): FileStatus =
      write(
        """message table {
          required int64 id;
          optional binary text (STRING);
          required binary raw;
          optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
        }""",
        style,
        Iterator.tabulate(400) { i => row =>
          val id = 1000 * n + i
          row.add("id", id.toLong)
          row.add("raw", s"x$id")
          if (id % 10 != 4) row.add("text", if (id == 1150) s"Grüße $id" else s"User-$id at Home")
          row.addGroup("tags").addGroup("list").add("element", s"tag $id")
        }
      )

    (0 until files).foreach(add)

    def functions: Seq[KeyFunction] =
      cache.functions(index.place, conf, IndexedFolder.NoWarnings)
  }

  private val text = ColumnPath.named(Seq("text"))
  private val tag = ColumnPath(Seq(Field("tags"), Element))

  private def has(column: ColumnPath, function: KeyFunction, keys: String*): Leaf =
    Leaf(column / Function(function), In(keys.map(k => Value.Bytes(k.getBytes("UTF-8"), true))))
  private def lower(value: String): Leaf =
    Leaf(
      text / Function(Lower),
      In(Seq(Value.Bytes(Lower.NotAscii, true), Value.Bytes(value.getBytes, true))))

  private val Columns =
    Seq("text", "tokens(text)", "lower(text)", "ngrams(text, 7)", "tokens(tags.list.element)")

  for ((style, name) <- Seq(Style(dictionary = true) -> "with", Style() -> "without"))
    test(s"keys of functions find the row groups of texts $name dictionaries") {
      val table = new Table(style, 3)
      table.index.add(table.all, Columns)
      // predicate; row groups kept in each file
      val lookups = Seq[(RowGroupPredicate, Seq[Int])](
        has(text, Tokens, "1151") -> Seq(0, 1, 0),
        has(text, Tokens, "2399") -> Seq(0, 0, 1),
        has(text, Tokens, "1450") -> Seq(0, 0, 0),
        has(text, Tokens, "User-1151") -> Seq(0, 0, 0), // of which no text is one token
        has(text, Tokens, "User") -> Seq(4, 4, 4),
        has(text, Tokens, "Grüße") -> Seq(0, 1, 0),
        And(Seq(has(text, Tokens, "1151"), has(text, Tokens, "2151"))) -> Seq(0, 0, 0),
        Or(Seq(has(text, Tokens, "1151"), has(text, Tokens, "2151"))) -> Seq(0, 1, 1),
        And(Seq(has(text, Tokens, "1151"), Unknown("test"))) -> Seq(0, 1, 0),
        has(text, NGrams(7), "er-1151") -> Seq(0, 1, 0),
        has(text, NGrams(7), "er-1451") -> Seq(0, 0, 0),
        lower("user-2151 at home") -> Seq(0, 1, 1), // a text of the other is not ASCII
        lower("User-2151 at Home") -> Seq(0, 1, 0),
        has(tag, Tokens, "2007") -> Seq(0, 0, 1),
        has(ColumnPath.named(Seq("none")), Tokens, "x") -> Seq(0, 0, 0),
        Leaf(text, In(Seq(Value.Bytes("User-1151 at Home".getBytes, true)))) -> Seq(0, 1, 0),
        Leaf(text, In(Seq(Value.Bytes("1151".getBytes, true)))) -> Seq(0, 0, 0)
      )
      for ((predicate, expected) <- lookups) {
        val pruned = table.prune(predicate)
        assert(kept(pruned) == expected, predicate)
        assert(pruned.outcomes.map(_.opens) == expected.map(n => if (n > 0) 1 else 0), predicate)
      }
    }

  test("a function that the index does not have, or not of this column, opens no file") {
    val table = new Table(Style(), 2)
    table.index.add(table.all, Seq("text", "tokens(text)"))
    assert(table.functions == Seq(Tokens))
    for (leaf <- Seq(
        has(text, NGrams(7), "nothing"),
        lower("nothing"),
        has(tag, Tokens, "nothing"),
        has(ColumnPath.named(Seq("raw")), Tokens, "nothing"))) {
      val pruned = table.prune(And(Seq(leaf, Unknown("test"))))
      assert(pruned.outcomes.forall(o => !o.isPruned && o.opens == 0), leaf)
    }
  }

  test("files that the index does not know are kept without being opened") {
    val table = new Table(Style(), 3)
    table.index.add(table.all.take(2), Seq("tokens(text)"))
    val pruned = table.prune(has(text, Tokens, "1151"))
    assert(pruned.outcomes.map(_.isPruned) == Seq(true, false, false))
    assert(pruned.outcomes.map(_.opens) == Seq(0, 1, 0))
    // other leaves are still evaluated on them
    val id = Leaf(Seq("id"), In(Seq(Value.IntegerLiteral(5, 64))))
    val both = table.prune(And(Seq(has(text, Tokens, "1151"), id)))
    assert(both.outcomes.map(_.isPruned) == Seq(true, true, true))
  }

  test("a column of an unknown function, or of no texts, has no keys") {
    val table = new Table(Style(), 1)
    val segment =
      table.index.add(table.all, Seq("soundex(text)", "tokens(id)", "tokens(raw)", "id"))
    assert(segment.columns.take(3).forall(_.parts.isEmpty))
    assert(table.functions == Seq(Tokens))
    for (column <- Seq("text", "id", "raw"))
      assert(!table.prune(has(ColumnPath.named(Seq(column)), Tokens, "x")).outcomes.head.isPruned)
    // a value of the column itself is not looked up among keys of a function
    val value = Leaf(text, In(Seq(Value.Bytes("User-5 at Home".getBytes, true))))
    assert(kept(table.prune(value)) == Seq(1))
  }
}
