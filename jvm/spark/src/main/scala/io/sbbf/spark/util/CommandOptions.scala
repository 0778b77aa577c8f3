package io.sbbf.spark.util

import java.util.Locale

/** The options that a command or a read is given. */
private[spark] final class CommandOptions private (texts: Map[String, String]) {

  /** @throws IllegalArgumentException naming the option if it is invalid, or missing */
  def apply[T](option: CommandOption[T]): T = option.parse(texts.get(option.name))
}

private[spark] object CommandOptions {

  /**
   * @param owner what has the options
   * @param texts their texts by their names, whose case is ignored
   * @throws IllegalArgumentException naming the option that is unknown
   */
  def of(
      owner: String,
      declared: Seq[CommandOption[_]],
      texts: Map[String, String]): CommandOptions = {
    val named = texts.map { case (name, text) => name.toLowerCase(Locale.ROOT) -> text }
    val known = declared.map(_.name)
    named.keys.find(!known.contains(_)).foreach { name =>
      throw new IllegalArgumentException(
        s"$owner has no option '$name'; its options are ${known.mkString(", ")}")
    }
    new CommandOptions(named)
  }
}
