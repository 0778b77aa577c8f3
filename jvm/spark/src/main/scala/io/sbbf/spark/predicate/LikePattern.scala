package io.sbbf.spark.predicate

/**
 * What a pattern of LIKE begins with.
 *
 * @param literal the text before the first wildcard
 * @param rest what may follow it
 */
private[spark] final case class LikePattern(literal: String, rest: LikePattern.Rest)

private[spark] object LikePattern {
  sealed abstract class Rest
  case object Nothing extends Rest

  /** One `%` or several. */
  case object Anything extends Rest
  case object Something extends Rest

  /**
   * Returns the pattern, or None if Spark rejects it: an escape character must stand before a
   * wildcard or another escape character.
   *
   * The literal ends before U+FFFD, because Spark decodes before it compares, and decodes invalid
   * UTF-8 as that character. It also ends before the first surrogate, because a pattern with one
   * matched nothing until SPARK-55453.
   */
  def of(pattern: String, escape: Char): Option[LikePattern] =
    parsed(pattern, escape).map { symbols =>
      val (literal, rest) = symbols.span(s => s.isLiteral && !hasOtherMeaning(s.char))
      LikePattern(
        literal.map(_.char).mkString,
        if (rest.isEmpty) Nothing
        else if (rest.forall(_ == AnyText)) Anything
        else Something)
    }

  /**
   * Returns the literal texts of a pattern; None if Spark rejects it. They end where that of [[of]]
   * ends, and whatever may stand between two of them.
   */
  def literals(pattern: String, escape: Char): Option[Seq[LiteralText]] =
    parsed(pattern, escape).map { symbols =>
      def isText(at: Int) = symbols(at).isLiteral && !hasOtherMeaning(symbols(at).char)
      val starts = symbols.indices.filter(i => isText(i) && (i == 0 || !isText(i - 1)))
      starts.map { from =>
        val text = symbols.indices.drop(from).takeWhile(isText).map(symbols(_).char).mkString
        LiteralText(
          text.getBytes("UTF-8"),
          startsValue = from == 0,
          endsValue = from + text.length == symbols.length)
      }
    }

  private def hasOtherMeaning(char: Char) = char == '\ufffd' || Character.isSurrogate(char)

  private final case class Symbol(char: Char, isLiteral: Boolean)
  private val AnyText = Symbol('%', isLiteral = false)

  private def parsed(pattern: String, escape: Char): Option[Vector[Symbol]] = {
    val symbols = Vector.newBuilder[Symbol]
    var i = 0
    var isValid = true
    def isWildcard(c: Char) = c == '%' || c == '_'
    while (isValid && i < pattern.length) {
      val isEscaped = pattern(i) == escape
      if (isEscaped) {
        i += 1
        isValid = i < pattern.length && (isWildcard(pattern(i)) || pattern(i) == escape)
      }
      if (isValid) symbols += Symbol(pattern(i), isEscaped || !isWildcard(pattern(i)))
      i += 1
    }
    if (isValid) Some(symbols.result()) else None
  }
}
