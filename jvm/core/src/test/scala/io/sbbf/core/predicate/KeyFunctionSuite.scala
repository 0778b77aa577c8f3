package io.sbbf.core.predicate

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.KeyFunction.{Lower, NGrams, Tokens}

class KeyFunctionSuite extends AnyFunSuite {

  private def keys(function: KeyFunction, text: Array[Byte]): Seq[String] =
    KeyFunction.keys(function, text).map(key => new String(key._2, ISO_8859_1))

  private def utf8(text: String): String = new String(text.getBytes(UTF_8), ISO_8859_1)

  test("tokens are the longest runs of letters, digits and bytes that are not ASCII") {
    val table = Seq(
      "" -> Nil,
      " " -> Nil,
      "error" -> Seq("error"),
      "error 4711" -> Seq("error", "4711"),
      " [error]: id=4711;" -> Seq("error", "id", "4711"),
      "a.b-c_d/e" -> Seq("a", "b", "c", "d", "e"),
      "AzZ09" -> Seq("AzZ09"),
      "@[`{/:" -> Nil,
      "a\u0000b\nc" -> Seq("a", "b", "c"),
      "über größe" -> Seq(utf8("über"), utf8("größe")),
      "日本、語" -> Seq(utf8("日本、語")),
      "a a" -> Seq("a", "a")
    )
    for ((text, expected) <- table) assert(keys(Tokens, text.getBytes(UTF_8)) == expected, text)
    assert(keys(Tokens, "a\u0080\u00ff b".getBytes(ISO_8859_1)) == Seq("a\u0080\u00ff", "b"))
  }

  test("tokens come with their positions") {
    assert(KeyFunction.keys(Tokens, " ab  c".getBytes).map(_._1) == Seq(1, 5))
  }

  test("n-grams are all runs of n bytes") {
    val table = Seq(
      "" -> Nil,
      "abcd" -> Nil,
      "abcde" -> Seq("abcde"),
      "abcdefg" -> Seq("abcde", "bcdef", "cdefg"),
      "aaaaaa" -> Seq("aaaaa", "aaaaa"))
    for ((text, expected) <- table) assert(keys(NGrams(5), text.getBytes) == expected, text)
    assert(keys(NGrams(5), "äbcd".getBytes(UTF_8)) == Seq(utf8("äbcd")))
  }

  test("ASCII is lowered, and all other texts have one key") {
    val table = Seq(
      "" -> "",
      "abc" -> "abc",
      "A@[Z`{09" -> "a@[z`{09",
      "ÄRGER" -> "\u0080",
      "\u212a" -> "\u0080", // the Kelvin sign, whose lower case is ASCII
      "İ" -> "\u0080"
    )
    for ((text, expected) <- table)
      assert(keys(Lower, text.getBytes(UTF_8)) == Seq(expected), text)
  }

  test("the text is left as it is") {
    val text = "ABC def".getBytes
    Seq(Lower, Tokens, NGrams(5)).foreach(KeyFunction.keys(_, text))
    assert(new String(text) == "ABC def")
  }
}
