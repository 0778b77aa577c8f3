package io.sbbf.orc.eval

import java.util.Locale

/**
 * The columns that a scan reads from files, without partition columns.
 *
 * @param fields the name and the type of each top-level column, as ORC spells it, in their order
 * @param byPosition whether files have the columns in this order, whatever their names
 *   (`orc.force.positional.evolution`)
 */
private[sbbf] final case class ReadSchema(fields: Seq[(String, String)], byPosition: Boolean) {

  /** Returns the position of a column, -1 if there is none or more than one. */
  private[eval] def indexOf(name: String, caseSensitive: Boolean): Int =
    fields.indices.filter(i => ReadSchema.isSame(fields(i)._1, name, caseSensitive)) match {
      case Seq(one) => one
      case _ => -1
    }

  private[eval] def typeOf(name: String, caseSensitive: Boolean): Option[String] =
    fields.lift(indexOf(name, caseSensitive)).map(_._2)
}

private[sbbf] object ReadSchema {

  /** Returns whether two names are those of one column. */
  private[eval] def isSame(a: String, b: String, caseSensitive: Boolean): Boolean =
    a == b || !caseSensitive && a.toLowerCase(Locale.ROOT) == b.toLowerCase(Locale.ROOT)
}
