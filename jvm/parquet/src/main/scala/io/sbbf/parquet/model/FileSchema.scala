package io.sbbf.parquet.model

import java.lang.ref.WeakReference
import java.util.WeakHashMap

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.ColumnPath.{Element, Field, Function, Key, Step, Value}

/**
 * The columns of a file: the leaves of its schema, in the order of their column chunks.
 * Immutable, compared by content.
 */
private[parquet] final case class FileSchema(root: SchemaNode) {
  private val leaves: Array[SchemaNode] = root.leaves.toArray

  /** Computed once, because it visits the whole tree. */
  override val hashCode: Int = root.hashCode

  /**
   * The columns whose path, joined by dots, is also that of another column: `a.b` is a field of `a`
   * and a column of its own. parquet-mr finds dictionaries, and while it writes also filters, by
   * that name, so it confuses them (`DictionaryPageReader`, `ParquetFileWriter`).
   */
  private lazy val twins: Set[Int] =
    leaves.indices.groupBy(leaves(_).path.mkString(".")).values.filter(_.size > 1).flatten.toSet

  /** Returns whether another column has the same path once names are joined by dots. */
  def hasTwin(column: Int): Boolean = twins(column)

  def numColumns: Int = leaves.length
  def column(c: Int): SchemaNode = leaves(c)

  /**
   * Returns the column that holds the values of a query's path. There must be exactly one, and
   * the path must go through each LIST, MAP and repeated field by a step of that kind.
   */
  def resolve(path: ColumnPath, lookup: ColumnLookup): FileSchema.Resolved =
    path.steps match {
      case Seq(Field(_, Some(id)))
          if lookup.reader == ReaderRules.Iceberg && ids.nonEmpty && !ids(id) =>
        FileSchema.Absent
      case _ => resolve(path, lookup.caseSensitive)
    }

  /** The ids of the top-level columns. Files share their schema, so they are collected once. */
  private lazy val ids: Set[Int] = root.children.flatMap(_.fieldId).toSet

  /**
   * Returns the column with this path in files whose lookup has no other rules.
   *
   * @param caseSensitive whether names have to agree in case
   */
  def resolve(path: ColumnPath, caseSensitive: Boolean): FileSchema.Resolved = {
    import FileSchema._
    def walk(place: Place, rest: Seq[Step]): Resolved =
      if (rest.isEmpty) place.end
      else
        place.next(rest.head, rest.tail, caseSensitive) match {
          case Right(found) => walk(found, rest.tail)
          case Left(failure) => failure
        }
    walk(Place(root, isElement = false), path.steps)
  }

  /** Returns the column that holds the values of a query's path, or -1 if there is not one. */
  def columnOf(path: ColumnPath, caseSensitive: Boolean): Int =
    resolve(path, caseSensitive) match {
      case FileSchema.Found(column) => column
      case _ => -1
    }

  /**
   * Returns the column whose nodes have these names, including the nodes of LISTs and MAPs.
   * Returns -1 if there is none or more than one.
   */
  def columnNamed(names: Seq[String], caseSensitive: Boolean): Int = {
    val found = names.foldLeft(Seq(root)) { (nodes, name) =>
      nodes.flatMap(_.named(name, caseSensitive))
    }
    if (found.length == 1) found.head.column else -1
  }

  /** Estimates the heap in bytes, with object headers of 16 bytes and references of 8. */
  def retainedBytes: Long = root.retainedBytes + 8L * leaves.length
}

private[parquet] object FileSchema {

  sealed abstract class Resolved
  final case class Found(column: Int) extends Resolved

  /** The file has no such field, so that each row reads as NULL. */
  case object Absent extends Resolved

  /** The file has another structure in its place. */
  case object SchemaMismatch extends Resolved
  case object Ambiguous extends Resolved

  /**
   * The file has a list or a map where the path has none, or one that cannot be identified for
   * sure.
   */
  case object Repeated extends Resolved

  /**
   * A node on a path.
   *
   * @param isElement whether the step to this node entered one of its repetitions; if not, a
   *   repeated node is still an array
   */
  private final case class Place(node: SchemaNode, isElement: Boolean) {
    private def isArray: Boolean = node.isRepeated && !isElement

    def end: Resolved =
      if (!node.isLeaf) SchemaMismatch else if (isArray) Repeated else Found(node.column)

    def next(step: Step, later: Seq[Step], caseSensitive: Boolean): Either[Resolved, Place] =
      step match {
        case Field(_, _) if isArray || node.collection != Collection.None => Left(Repeated)
        case Field(name, None) => only(node.named(name, caseSensitive), orElse = absent)
        case Field(_, id) => only(node.children.filter(_.fieldId == id), orElse = SchemaMismatch)
        case Element if isArray => within(node.collection == Collection.None, node)
        case Element => element(later)
        case Key => entry(0)
        case Value => entry(1)
        case Function(_) => Left(SchemaMismatch) // files store values only
      }

    /**
     * Returns the result for a missing name. If lists may be encoded in another way, the missing
     * name may belong to another node.
     */
    private def absent: Resolved =
      if (node.path.isEmpty || !node.isLeaf && node.isFlat && node.children.forall(_.isFlat))
        Absent
      else SchemaMismatch

    private def only(found: Seq[SchemaNode], orElse: Resolved): Either[Resolved, Place] =
      if (found.isEmpty) Left(orElse)
      else if (found.length > 1) Left(Ambiguous)
      else Right(Place(found.head, isElement = false))

    private def within(isSure: Boolean, repeated: => SchemaNode): Either[Resolved, Place] =
      if (isSure) Right(Place(repeated, isElement = true)) else Left(Repeated)

    /**
     * Applies the rules for old lists of two levels (LogicalTypes.md, backward compatibility) as
     * Spark does. Spark's two readers disagree on a list of structs if one of their fields has
     * the name of the list's innermost group: the path is then ambiguous.
     */
    private def element(later: Seq[Step]): Either[Resolved, Place] =
      if (isArray || node.collection != Collection.List || !hasOnlyRepeated) Left(Repeated)
      else {
        val repeated = node.children.head
        if (repeated.isLeaf || repeated.children.length > 1 || repeated.name == "array" ||
          repeated.name == node.name + "_tuple") within(isSure = true, repeated)
        else {
          val element = repeated.children.head
          val isSure = later.headOption.forall {
            case Field(name, _) => SchemaNode.fold(name) != SchemaNode.fold(element.name)
            case _ => true
          }
          if (isSure) Right(Place(element, isElement = false)) else Left(Ambiguous)
        }
      }

    /**
     * Returns the key or the value of a map, which Spark finds by their order, not by their
     * names.
     */
    private def entry(ordinal: Int): Either[Resolved, Place] = {
      val isMap = !isArray && node.collection == Collection.Map && hasOnlyRepeated &&
        node.children.head.children.length == 2
      if (isMap) Right(Place(node.children.head.children(ordinal), isElement = false))
      else Left(Repeated)
    }

    private def hasOnlyRepeated: Boolean =
      node.children.length == 1 && node.children.head.isRepeated
  }

  private val known = new WeakHashMap[FileSchema, WeakReference[FileSchema]]

  /**
   * Returns the one instance that files of equal schemas share, as the files of a table do. It is
   * shared as long as one of them is in memory.
   */
  def share(schema: FileSchema): FileSchema = known.synchronized {
    val entry = known.get(schema)
    val instance = if (entry == null) null else entry.get
    if (instance != null) instance
    else {
      known.put(schema, new WeakReference(schema))
      schema
    }
  }
}

/** The collection that a group's annotation declares. */
private[parquet] sealed abstract class Collection

private[parquet] object Collection {
  case object None extends Collection
  case object List extends Collection
  case object Map extends Collection

  /** The annotations contradict each other. */
  case object Unclear extends Collection
}
