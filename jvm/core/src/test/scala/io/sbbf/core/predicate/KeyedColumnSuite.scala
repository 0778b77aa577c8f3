package io.sbbf.core.predicate

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.KeyFunction.{Lower, NGrams, Tokens}

class KeyedColumnSuite extends AnyFunSuite {

  test("a name is that of a column, or of a function of one") {
    // text; column, function, canonical name
    val table = Seq[(String, (String, Option[KeyFunction], String))](
      "user_id" -> (("user_id", None, "user_id")),
      "st.a" -> (("st.a", None, "st.a")),
      "`lower(a)`" -> (("`lower(a)`", None, "`lower(a)`")),
      "(a)" -> (("(a)", None, "(a)")),
      "lower(email)" -> (("email", Some(Lower), "lower(email)")),
      " LOWER ( email ) " -> (("email", Some(Lower), "lower(email)")),
      "tokens(st.a)" -> (("st.a", Some(Tokens), "tokens(st.a)")),
      "tokens(`a b`)" -> (("`a b`", Some(Tokens), "tokens(`a b`)")),
      "ngrams(message, 8)" -> (("message", Some(NGrams(8)), "ngrams(message, 8)")),
      "NGrams(message,5)" -> (("message", Some(NGrams(5)), "ngrams(message, 5)")),
      "ngrams(m, 32)" -> (("m", Some(NGrams(32)), "ngrams(m, 32)"))
    )
    for ((text, (column, function, name)) <- table) {
      val found = KeyedColumn.parse(text)
      assert(found == Right(KeyedColumn(column, function)), text)
      assert(found.exists(_.name == name), text)
      assert(KeyedColumn.parse(name) == found, text)
    }
  }

  test("an invalid function is refused with what is valid") {
    val table = Seq(
      "soundex(a)" -> "unknown function 'soundex'",
      "sum(x)" -> "lower(column), tokens(column) and ngrams(column, n)",
      "ngrams(a)" -> "lacks the length",
      "ngrams(a, b)" -> "lacks the length",
      "ngrams(a, 4)" -> "5 to 32 bytes: shorter ones are in nearly every row group",
      "ngrams(a, 33)" -> "5 to 32 bytes",
      "ngrams(a, -8)" -> "5 to 32 bytes",
      "ngrams(a, 99999999999)" -> "5 to 32 bytes"
    )
    for ((text, reason) <- table) {
      val why = KeyedColumn.parse(text).left.toOption
      assert(why.exists(w => w.contains(reason) && w.contains(text)), text)
    }
  }
}
