package io.sbbf.core.predicate

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.ColumnPath.{Element, Field, Function, Key}
import io.sbbf.core.predicate.RowGroupPredicate._

final class ColumnPathSuite extends AnyFunSuite {
  private val column = ColumnPath.named(Seq("a", "b"))
  private val test5 = In(Seq(Value.IntegerLiteral(5, 64)))

  test("paths are repeated from the first array or map on, and read as names") {
    assert(!column.isRepeated && column.toString == "a.b")
    assert((column / Element).isRepeated && (column / Element).toString == "a.b.element")
    assert((column / Key / Field("id", Some(7))).isRepeated)
    assert(Leaf(Seq("a", "b"), test5) == Leaf(column, test5))
  }

  test("a function is the last step, after which a row may hold any number of keys") {
    val tokens = column / Function(KeyFunction.Tokens)
    assert(tokens.isRepeated && tokens.toString == "tokens(a.b)" && tokens.root == "a")
    assert(tokens.function.contains(KeyFunction.Tokens) && tokens.ofValues == column)
    assert(column.function.isEmpty && column.ofValues == column)
    assert(
      (column / Element / Function(KeyFunction.NGrams(8))).toString == "ngrams(a.b.element, 8)")
    assert(Leaf(tokens, test5).negated == Unknown("NOT of a test on an array, a map or keys"))
  }

  test("one item that fails a test does not negate that some item passes it") {
    assert(Leaf(column, test5).negated == Leaf(column, NotIn(test5.values)))
    val ofItems = Leaf(column / Element, test5)
    assert(ofItems.negated == Unknown("NOT of a test on an array, a map or keys"))
    assert(
      And(Seq(ofItems, Leaf(column, IsNull))).negated ==
        Or(Seq(ofItems.negated, Leaf(column, IsNotNull))))
  }
}
