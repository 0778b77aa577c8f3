package io.sbbf.spark.predicate

import io.sbbf.core.predicate.KeyFunction

/**
 * A text that each matching value contains.
 *
 * @param bytes the text in UTF-8
 * @param startsValue whether the value starts with it
 * @param endsValue whether the value ends with it
 */
private[spark] final case class LiteralText(
    bytes: Array[Byte],
    startsValue: Boolean,
    endsValue: Boolean) {

  /**
   * Returns keys of a function that each value with the text has. A token counts only if it cannot go
   * on outside of the text.
   */
  def keys(function: KeyFunction): Seq[Array[Byte]] = function match {
    case KeyFunction.Tokens =>
      KeyFunction.keys(function, bytes).collect {
        case (from, token)
            if (from > 0 || startsValue) && (from + token.length < bytes.length || endsValue) =>
          token
      }
    case KeyFunction.NGrams(_) => KeyFunction.keys(function, bytes).map(_._2)
    case KeyFunction.Lower => Nil
  }

  /** Whether its keys would take more memory than they can save time. */
  def isLong: Boolean = bytes.length > LiteralText.Longest

  /** Returns whether an index could have keys that decide about the text. */
  def mayHaveKeys: Boolean =
    bytes.length >= KeyFunction.NGrams.Shortest || keys(KeyFunction.Tokens).nonEmpty
}

private object LiteralText {
  private final val Longest = 64 << 10
}
