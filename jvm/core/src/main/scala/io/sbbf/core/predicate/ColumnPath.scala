package io.sbbf.core.predicate

/**
 * The path from the root of a table's schema to the values of a column. Immutable, thread-safe,
 * compared by content.
 */
final case class ColumnPath(steps: Seq[ColumnPath.Step]) {
  import ColumnPath._

  def /(step: Step): ColumnPath = ColumnPath(steps :+ step)

  /** Returns the name of the table's column. */
  def root: String = steps.head.toString

  /**
   * Returns whether the path goes through an array or a map, or ends with a function, so that a row
   * may hold any number of its values.
   */
  def isRepeated: Boolean = steps.exists {
    case Field(_, _) => false
    case Element | Key | Value | Function(_) => true
  }

  /** Returns the function whose keys the path leads to; None if it leads to the values. */
  def function: Option[KeyFunction] = steps.lastOption.collect { case Function(f) => f }

  /** Returns the path of the values, of which this may be a function. */
  def ofValues: ColumnPath = if (function.isEmpty) this else ColumnPath(steps.init)

  /** Returns a text for people to read, which must not be parsed. */
  override def toString: String =
    function.fold(steps.mkString("."))(_.of(ofValues.toString))
}

object ColumnPath {

  /** Returns the path of a column, or of a field within structs, found by names alone. */
  def named(names: Seq[String]): ColumnPath = ColumnPath(names.map(Field(_)))

  /** A step from a type to one of its component types. */
  sealed abstract class Step extends Product with Serializable

  /**
   * @param id the id by which a file's field is found, whatever its name; None to find it by name
   */
  final case class Field(name: String, id: Option[Int] = None) extends Step {
    override def toString: String = name
  }

  /** The step from an array to its elements. */
  case object Element extends Step {
    override def toString: String = "element"
  }

  /** The step from a map to its keys. */
  case object Key extends Step {
    override def toString: String = "key"
  }

  /** The step from a map to its values. */
  case object Value extends Step {
    override def toString: String = "value"
  }

  /** The last step, from a text to its keys. Only an index knows these, and files do not. */
  final case class Function(function: KeyFunction) extends Step
}
