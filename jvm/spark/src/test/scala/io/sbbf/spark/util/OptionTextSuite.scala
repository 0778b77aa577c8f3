package io.sbbf.spark.util

import org.scalatest.funsuite.AnyFunSuite

class OptionTextSuite extends AnyFunSuite {

  test("flags and numbers are parsed in any case and with blanks around them.") {
    assert(OptionText.flag("k", " TRUE ") && !OptionText.flag("k", "False"))
    assert(OptionText.probability("k", " 1e-3 ") == 0.001)
    assert(OptionText.count("k", " 7 ", 1, 9) == 7 && OptionText.integer("k", "-1") == -1)
  }

  private val refused = Seq[(String => Any, String, Seq[String])](
    (OptionText.flag("k", _), "true or false", Seq("", "yes", "1", "truee")),
    (
      OptionText.probability("k", _, ", or auto"),
      "between 0 and 1, both excluded, or auto",
      Seq("0", "1", "-0.1", "2", "NaN", "x", "")),
    (
      OptionText.count("k", _, 1, 9),
      "from 1 to 9",
      Seq("0", "10", "1.5", "x", "99999999999999999999")),
    (OptionText.count("k", _, 4, Long.MaxValue), "at least 4", Seq("3")),
    (OptionText.integer("k", _), "a whole number of at most 2147483647", Seq("2147483648", "1.0"))
  )

  for ((parse, allowed, texts) <- refused; text <- texts)
    test(s"'$text' is refused where the text must be $allowed.") {
      val error = intercept[IllegalArgumentException](parse(text))
      assert(error.getMessage == s"k must be $allowed, but was '$text'")
    }
}
