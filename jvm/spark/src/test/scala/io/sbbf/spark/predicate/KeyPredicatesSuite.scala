package io.sbbf.spark.predicate

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{ArrayType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.predicate.KeyFunction.{NGrams, Tokens}
import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.core.predicate.{KeyFunction, RowGroupPredicate, Value, Verdict}
import io.sbbf.parquet.testing.TestFiles

/** Which keys a text must have to pass a test, compared with what Spark evaluates. */
class KeyPredicatesSuite extends TranslatorSuite {
  private var lookups = 0

  private def translatorWith(functions: KeyFunction*): PredicateTranslator =
    new PredicateTranslator(
      Set("DAY"),
      caseSensitive = false,
      byFieldId = false,
      () => {
        lookups += 1
        functions
      })

  /** Returns the keys that a row must have, by the text of the function of the column. */
  private def keys(e: Expression, functions: KeyFunction*): Seq[String] =
    translatorWith(functions: _*)
      .translate(Seq(e))
      .leaves
      .filter(_.column.function.isDefined)
      .map {
        case Leaf(column, RowGroupPredicate.In(values)) =>
          val texts = values.collect { case Value.Bytes(bytes, _) =>
            if (bytes.sameElements(KeyFunction.Lower.NotAscii)) "<other>"
            else new String(bytes, "UTF-8")
          }
          s"$column = ${texts.mkString("|")}"
        case other => fail(s"unexpected $other")
      }

  private def tokens(e: Expression): Seq[String] =
    keys(e, Tokens).map(_.stripPrefix("tokens(name) = "))

  private def grams(e: Expression): Seq[String] =
    keys(e, NGrams(5)).map(_.stripPrefix("ngrams(name, 5) = "))

  private def like(pattern: String, escape: Char = '\\'): Expression =
    Like(name, Literal(pattern), escape)

  test("a token counts if it is bounded within the literal text or by an end of the value") {
    val table = Seq[(Expression, Seq[String])](
      like("% error 4711 %") -> Seq("error", "4711"),
      like("%error%") -> Nil,
      like("error%") -> Nil,
      like("error %") -> Seq("error"),
      like("% error") -> Seq("error"),
      like("error") -> Seq("error"),
      like("error 47%") -> Seq("error"),
      like("%[error]%") -> Seq("error"),
      like("% a % b %") -> Seq("a", "b"),
      like("% a_b %") -> Nil,
      like("% a _ b %") -> Seq("a", "b"),
      like("_ a_") -> Nil,
      like("% a\\_b %") -> Seq("a", "b"),
      like("% a\\%") -> Seq("a"),
      like("% a\\% %") -> Seq("a"),
      like("% a/_b %", '/') -> Seq("a", "b"),
      like("% größe %") -> Seq("größe"),
      like("% größe") -> Seq("größe"),
      like("% a\ufffd b %") -> Seq("b"),
      like("") -> Nil,
      like("%") -> Nil,
      Contains(name, Literal(" error 4711 ")) -> Seq("error", "4711"),
      Contains(name, Literal("error 4711 x")) -> Seq("4711"),
      Contains(name, Literal("")) -> Nil,
      StartsWith(name, Literal("error 4711")) -> Seq("error"),
      EndsWith(name, Literal("error 4711")) -> Seq("4711"),
      EqualTo(name, Literal("error 4711")) -> Seq("error", "4711"),
      EqualTo(Literal("error 4711"), name) -> Seq("error", "4711"),
      EqualNullSafe(name, Literal("error")) -> Seq("error"),
      EqualTo(name, Literal("")) -> Nil
    )
    for ((expression, expected) <- table) assert(tokens(expression) == expected, expression)
  }

  test("all n-grams of each literal text count, at most six spread evenly") {
    val table = Seq[(Expression, Seq[String])](
      like("%error%") -> Seq("error"),
      like("%errors%") -> Seq("error", "rrors"),
      like("%erro%") -> Nil,
      like("%erro_rrors%") -> Seq("rrors"),
      like("%abcde%vwxyz") -> Seq("abcde", "vwxyz"),
      like("%aaaaaaa%") -> Seq("aaaaa"),
      StartsWith(name, Literal("abcdef")) -> Seq("abcde", "bcdef"),
      EqualTo(name, Literal("abcde")) -> Seq("abcde")
    )
    for ((expression, expected) <- table)
      assert(grams(expression) == expected, expression)
    // "größe" has seven bytes
    assert(grams(Contains(name, Literal("größe"))).size == 3)
    val long = (0 until 100).map(n => ('a' + n % 26).toChar).mkString + "0123"
    val found = grams(Contains(name, Literal(long)))
    val huge = Contains(name, Literal("0123456789" * 10000))
    assert(grams(huge).isEmpty, "its keys would take more memory than they save time")
    assert(found.size == 6 && found.head == "abcde" && found.last.endsWith("0123"))
  }

  test("lower finds its literals, and texts that are not ASCII") {
    val lowered = Lower(name)
    val nothing = Literal(null, StringType)
    val table = Seq[(Expression, Seq[String])](
      EqualTo(lowered, Literal("abc")) -> Seq("lower(name) = <other>|abc"),
      EqualTo(Literal("abc"), lowered) -> Seq("lower(name) = <other>|abc"),
      EqualNullSafe(lowered, Literal("abc")) -> Seq("lower(name) = <other>|abc"),
      In(lowered, Seq(Literal("a"), Literal("b"))) -> Seq("lower(name) = <other>|a|b"),
      In(lowered, Seq(Literal("a"), nothing)) -> Seq("lower(name) = <other>|a"),
      InSet(lowered, Set(UTF8String.fromString("a"))) -> Seq("lower(name) = <other>|a"),
      EqualTo(name, Literal("abc")) -> Nil,
      Not(EqualTo(lowered, Literal("abc"))) -> Nil,
      LessThan(lowered, Literal("abc")) -> Nil
    )
    for ((expression, expected) <- table)
      assert(keys(expression, KeyFunction.Lower) == expected, expression)
  }

  test("no keys are derived from a negation, nor from other columns than texts of the files") {
    val tags = AttributeReference("tags", ArrayType(StringType))()
    for (expression <- Seq(
        Not(like("% error %")),
        EqualNullSafe(like("% error %"), Literal(false)),
        IsNull(like("% error %")),
        Like(Cast(id, StringType), Literal("% error %"), '\\'),
        Like(day, Literal("% error %"), '\\'), // of partitions
        Like(name, name, '\\'),
        Like(name, Literal(null, StringType), '\\')
      )) assert(keys(expression, Tokens, NGrams(5), KeyFunction.Lower) == Nil, expression)
    val item = ElementAt(tags, Literal(1), None, failOnError = false)
    assert(
      keys(Contains(item, Literal(" error ")), Tokens) == Seq("tokens(tags.element) = error"))
  }

  test("keys combine with what files decide, and with other parts of the predicate") {
    val both = translatorWith(Tokens).translate(Seq(StartsWith(name, Literal("error 4"))))
    assert(both.leaves.map(_.column.toString).distinct == Seq("name", "tokens(name)"))
    assert(both.canPruneByFiles)
    val alone = translatorWith(Tokens).translate(Seq(like("% error %")))
    assert(alone.canPrune && !alone.canPruneByFiles && alone.unknowns.isEmpty)
    val either = translatorWith(Tokens).translate(Seq(Or(like("% a %"), like("%b%"))))
    assert(!either.canPrune)
    // several tokens of one text are several keys
    val Seq(first, second) =
      translatorWith(Tokens).translate(Seq(like("% a b %"))).leaves.map(_.test)
    assert(first != second)
  }

  test(
    "without functions a predicate is as before, and only texts with keys look for functions") {
    val all =
      Seq(like("% error %"), Contains(name, Literal("error")), EqualTo(name, Literal("a b")))
    for (e <- all) assert(translatorWith().translate(Seq(e)) == translator().translate(Seq(e)), e)
    lookups = 0
    val without =
      Seq(like("%"), like("%erro%"), EqualTo(id, Literal(5L)), IsNotNull(name), Not(all.head))
    without.foreach(e => translatorWith(Tokens).translate(Seq(e)))
    assert(lookups == 0)
  }

  test("a text that passes a test has all keys of the test, whatever the text is") {
    val random = new Random(TestFiles.seed())
    val functions = Seq(Tokens, NGrams(5), NGrams(6), KeyFunction.Lower)
    val parts = Seq(
      "a",
      "b",
      "B",
      "9",
      " ",
      " ",
      "-",
      "é",
      "ß",
      "\u212a",
      "İ",
      "日",
      "😀",
      "\ufffd",
      "ab cd")
    val wild = parts ++ Seq("%", "%", "_", "\\%", "\\_", "\\\\")
    def some(of: Seq[String], most: Int): String =
      Seq.fill(random.nextInt(most + 1))(of(random.nextInt(of.size))).mkString
    def value(): UTF8String = {
      val bytes = some(parts, 12).getBytes("UTF-8")
      if (bytes.nonEmpty && random.nextInt(8) == 0)
        bytes(random.nextInt(bytes.length)) = random.nextInt(256).toByte
      UTF8String.fromBytes(bytes)
    }
    def piece(of: UTF8String): Literal = {
      val bytes = of.getBytes
      val from = random.nextInt(bytes.length + 1)
      val until = from + random.nextInt(bytes.length - from + 1)
      Literal.create(UTF8String.fromBytes(bytes.slice(from, until)), StringType)
    }

    /** Returns a pattern that the text matches, if it needs no escapes. */
    def patternOf(of: UTF8String): Literal = {
      val text = of.toString.flatMap { c =>
        random.nextInt(8) match {
          case 0 => "%"
          case 1 => "_"
          case _ => c.toString
        }
      }
      Literal(text.replace("\\", ""))
    }
    val lowered = Lower(name)
    def test(near: UTF8String): Expression = random.nextInt(9) match {
      case 0 => Like(name, Literal(some(wild, 8)), '\\')
      case 1 | 2 => Like(name, patternOf(near), '\\')
      case 3 => Contains(name, piece(near))
      case 4 => StartsWith(name, piece(near))
      case 5 => EndsWith(name, piece(near))
      case 6 => EqualTo(name, Literal.create(near, StringType))
      case 7 => EqualTo(lowered, Literal.create(near.toLowerCase, StringType))
      case 8 => In(lowered, Seq(Literal.create(near.toLowerCase, StringType), piece(near)))
    }
    def passes(expression: Expression, text: UTF8String): Boolean =
      expression.transform { case `name` => Literal.create(text, StringType) }.eval() == true
    def verdict(predicate: RowGroupPredicate, text: UTF8String): Verdict = predicate.evaluate {
      case Leaf(column, RowGroupPredicate.In(values)) if column.function.isDefined =>
        val found = KeyFunction.keys(column.function.get, text.getBytes).map { case (_, key) =>
          Value.Bytes(key, text = true)
        }
        if (values.exists(found.contains)) Verdict.MightMatch else Verdict.CannotMatch
      case _ => Verdict.MightMatch
    }
    val withAll = translatorWith(functions: _*)
    var (passed, refuted) = (0, 0)
    for (_ <- 0 until 30000 / TestFiles.stride) {
      val near = value()
      val expression = test(near)
      val predicate =
        try withAll.translate(Seq(expression))
        catch { case e: Exception => fail(s"$expression", e) }
      for (text <- Seq(near, value())) {
        // Spark raises an error for an invalid escape
        val isTrue =
          try passes(expression, text)
          catch { case _: Exception => false }
        val isRefuted = verdict(predicate, text) == Verdict.CannotMatch
        assert(!isTrue || !isRefuted, s"$expression of ${text.getBytes.mkString(",")}")
        if (isTrue) passed += 1
        if (isRefuted) refuted += 1
      }
    }
    info(s"$passed texts passed, $refuted were refuted by their keys")
    assert(passed > 1000 / TestFiles.stride && refuted > 1000 / TestFiles.stride)
  }
}
