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

  test("takes any escape character, a wildcard too") {
    assert(LikePattern.of("a/%/", '/').isEmpty)
    assert(LikePattern.of("a/%b%", '/') == Some(LikePattern("a%b", Anything)))
    assert(LikePattern.of("a\\%", '/') == Some(LikePattern("a\\", Anything)))
    assert(LikePattern.of("a%%b", '%') == Some(LikePattern("a%b", Nothing)))
  }
}
