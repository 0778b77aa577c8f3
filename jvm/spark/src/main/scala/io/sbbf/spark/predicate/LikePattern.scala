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
   * None for a pattern that Spark refuses: an escape character stands before a wildcard or another one only.
   * Spark compares after decoding, which turns bytes that are no UTF-8 into U+FFFD: from there on nothing is
   * literal. Nor is it from a character on that is two of Java's, which Spark took apart until SPARK-55453, so that
   * such a pattern matched nothing.
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

  private def hasOtherMeaning(char: Char) = char == '\ufffd' || Character.isSurrogate(char)

  private final case class Symbol(char: Char, isLiteral: Boolean)
  private val AnyText = Symbol('%', isLiteral = false)

  private def parsed(pattern: String, escape: Char): Option[Seq[Symbol]] = {
    val symbols = Seq.newBuilder[Symbol]
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
