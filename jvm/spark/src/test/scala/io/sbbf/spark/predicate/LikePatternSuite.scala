package io.sbbf.spark.predicate

import org.scalatest.funsuite.AnyFunSuite

class LikePatternSuite extends AnyFunSuite {
  import LikePattern.{Anything, Nothing, Rest, Something}

  private val table = Seq[(String, Option[(String, Rest)])](
    ("", Some(("", Nothing))),
    ("abc", Some(("abc", Nothing))),
    ("abc%", Some(("abc", Anything))),
    ("abc%%", Some(("abc", Anything))),
    ("%", Some(("", Anything))),
    ("ab_", Some(("ab", Something))),
    ("ab%c", Some(("ab", Something))),
    ("ab%_", Some(("ab", Something))),
    ("_", Some(("", Something))),
    ("10\\%", Some(("10%", Nothing))),
    ("10\\%%", Some(("10%", Anything))),
    ("a\\_b\\\\c_", Some(("a_b\\c", Something))),
    ("a\ufffd%", Some(("a", Something))),
    ("a\ud83d\ude00%%", Some(("a", Something))),
    ("a\\", None),
    ("a\\b", None),
    ("a%\\b", None)
  )

  test("finds the text before the first wildcard, and what may follow it") {
    for ((pattern, expected) <- table)
      assert(LikePattern.of(pattern, '\\').map(p => (p.literal, p.rest)) == expected, pattern)
  }

  test("finds all literal texts, and which of them are at an end of the value") {
    // pattern; texts, with ^ at the start of the value and $ at its end
    val cases = Seq[(String, Option[Seq[String]])](
      "" -> Some(Nil),
      "%" -> Some(Nil),
      "_%_" -> Some(Nil),
      "abc" -> Some(Seq("^abc$")),
      "%abc" -> Some(Seq("abc$")),
      "abc%" -> Some(Seq("^abc")),
      "%abc%" -> Some(Seq("abc")),
      "ab%cd_ef" -> Some(Seq("^ab", "cd", "ef$")),
      "%%a%%b" -> Some(Seq("a", "b$")),
      "10\\%%\\_a" -> Some(Seq("^10%", "_a$")),
      "a\\\\b" -> Some(Seq("^a\\b$")),
      "größe%" -> Some(Seq("^größe")),
      "a\ufffdb" -> Some(Seq("^a", "b$")),
      "a\ud83d\ude00b" -> Some(Seq("^a", "b$")),
      "%a\\" -> None,
      "a\\b" -> None
    )
    def shown(text: LiteralText): String =
      (if (text.startsValue) "^" else "") + new String(text.bytes, "UTF-8") +
        (if (text.endsValue) "$" else "")
    for ((pattern, expected) <- cases)
      assert(LikePattern.literals(pattern, '\\').map(_.map(shown)) == expected, pattern)
  }

  test("takes any escape character, a wildcard too") {
    assert(LikePattern.of("a/%/", '/').isEmpty)
    assert(LikePattern.of("a/%b%", '/') == Some(LikePattern("a%b", Anything)))
    assert(LikePattern.of("a\\%", '/') == Some(LikePattern("a\\", Anything)))
    assert(LikePattern.of("a%%b", '%') == Some(LikePattern("a%b", Nothing)))
  }
}
