package io.sbbf.core.predicate

/**
 * The way from the root of a table's schema to the values of a column. Immutable, thread-safe,
 * compared by content.
 */
final case class ColumnPath(steps: Seq[ColumnPath.Step]) {
  import ColumnPath._

  def /(step: Step): ColumnPath = ColumnPath(steps :+ step)

  /** The name of the table's column. */
  def root: String = steps.head.toString

  /** Whether it leads through an array or a map, so that a row may hold any number of its values. */
  def isRepeated: Boolean = steps.exists {
    case Field(_, _) => false
    case Element | Key | Value => true
  }

  /** For people to read; not to be taken apart again. */
  override def toString: String = steps.mkString(".")
}

object ColumnPath {

  /** A column, or a field within structs, found by names alone. */
  def named(names: Seq[String]): ColumnPath = ColumnPath(names.map(Field(_)))

  /** From a type to one that it is made of. */
  sealed abstract class Step extends Product with Serializable

  /** @param id where a file's field is to be found by its id, whatever its name */
  final case class Field(name: String, id: Option[Int] = None) extends Step {
    override def toString: String = name
  }

  /** From an array to what it holds. */
  case object Element extends Step {
    override def toString: String = "element"
  }

  /** From a map to its keys. */
  case object Key extends Step {
    override def toString: String = "key"
  }

  /** From a map to its values. */
  case object Value extends Step {
    override def toString: String = "value"
  }
}
