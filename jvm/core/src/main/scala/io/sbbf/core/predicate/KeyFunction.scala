package io.sbbf.core.predicate

import java.util.Arrays

/**
 * A function from a text to the keys that an index has of it. It is defined on the bytes of the text
 * in UTF-8, valid or not. NULL has no key. docs/index-format.md specifies the functions.
 */
sealed abstract class KeyFunction extends Product with Serializable {

  /** Returns the canonical text of the function of a column. */
  def of(column: String): String

  /** Passes the keys of a text to `sink`, each as often as the text has it. */
  def addKeys(text: Array[Byte], sink: KeyFunction.Sink): Unit
}

object KeyFunction {

  /** Receives keys. The caller owns the arrays. */
  trait Sink {
    def add(bytes: Array[Byte], from: Int, length: Int): Unit
  }

  /**
   * The text in lower case. All texts that are not ASCII have one key, [[Lower.NotAscii]]: Spark's
   * versions lower them in different ways, and some lower to ASCII.
   */
  case object Lower extends KeyFunction {

    /** No text in ASCII has this key. */
    val NotAscii: Array[Byte] = Array(0x80.toByte)

    override def of(column: String): String = s"lower($column)"

    override def addKeys(text: Array[Byte], sink: Sink): Unit = {
      val lowered = text.clone()
      var i = 0
      while (i < text.length && text(i) >= 0) {
        if (text(i) >= 'A' && text(i) <= 'Z') lowered(i) = (text(i) + ('a' - 'A')).toByte
        i += 1
      }
      if (i < text.length) sink.add(NotAscii, 0, NotAscii.length)
      else sink.add(lowered, 0, lowered.length)
    }
  }

  /** The tokens of the text: the longest runs of ASCII letters, ASCII digits and bytes above 0x7f. */
  case object Tokens extends KeyFunction {
    override def of(column: String): String = s"tokens($column)"

    override def addKeys(text: Array[Byte], sink: Sink): Unit = {
      var from = 0
      while (from < text.length) {
        var until = from
        while (until < text.length && isInToken(text(until))) until += 1
        if (until > from) sink.add(text, from, until - from)
        from = until + 1
      }
    }

    private def isInToken(b: Byte): Boolean =
      b < 0 || b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z'
  }

  /** The runs of `size` bytes, which overlap. A shorter text has none. */
  final case class NGrams(size: Int) extends KeyFunction {
    override def of(column: String): String = s"ngrams($column, $size)"

    override def addKeys(text: Array[Byte], sink: Sink): Unit = {
      var from = 0
      while (from <= text.length - size) {
        sink.add(text, from, size)
        from += 1
      }
    }
  }

  object NGrams {
    final val Shortest = 5
    final val Longest = 32
  }

  /** Returns copies of the keys of a text, each with the position at which it starts. */
  def keys(function: KeyFunction, text: Array[Byte]): Seq[(Int, Array[Byte])] = {
    val found = Seq.newBuilder[(Int, Array[Byte])]
    function.addKeys(
      text,
      (bytes, from, length) => found += from -> Arrays.copyOfRange(bytes, from, from + length))
    found.result()
  }
}
