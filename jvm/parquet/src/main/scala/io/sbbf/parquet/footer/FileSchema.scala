package io.sbbf.parquet
package footer

import java.lang.ref.WeakReference
import java.util.{Locale, WeakHashMap}

import io.sbbf.core.ColumnPath
import io.sbbf.core.ColumnPath.{Element, Field, Key, Step, Value}

/**
 * The columns of a file: the leaves of its schema, in the order of their column chunks.
 * Immutable, compared by content.
 */
private[parquet] final case class FileSchema(root: SchemaNode) {
  private val leaves: Array[SchemaNode] = root.leaves.toArray

  /** Computed once, because it goes through the whole tree. */
  override val hashCode: Int = root.hashCode

  def numColumns: Int = leaves.length
  def column(c: Int): SchemaNode = leaves(c)

  /**
   * The column that holds what a query finds at this path, if there is exactly one and the path
   * says of each LIST, MAP and repeated field that it is one; names may differ in case.
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
    walk(Place(root, isOneOfMany = false), path.steps)
  }

  /**
   * The column whose nodes have these names, those of LISTs and MAPs included, or -1 if there is
   * none or more than one.
   */
  def columnNamed(names: Seq[String], caseSensitive: Boolean): Int = {
    val found = names.foldLeft(Seq(root)) { (nodes, name) =>
      nodes.flatMap(_.named(name, caseSensitive))
    }
    if (found.length == 1) found.head.column else -1
  }

  /** Heap, estimated with object headers of 16 bytes and references of 8. */
  def retainedBytes: Long = root.retainedBytes + 8L * leaves.length
}

private[parquet] object FileSchema {

  sealed abstract class Resolved
  final case class Found(column: Int) extends Resolved

  /** No such field is in the file, so that each row reads as NULL. */
  case object Absent extends Resolved

  /** There is something else in its place. */
  case object OtherShape extends Resolved
  case object Ambiguous extends Resolved

  /** The file has a list or a map where the path has none, or one that cannot be told for sure. */
  case object Repeated extends Resolved

  /**
   * A node on the way of a path.
   *
   * @param isOneOfMany whether the step that led here took it for one of its repetitions; if not,
   *   a repeated node is still an array
   */
  private final case class Place(node: SchemaNode, isOneOfMany: Boolean) {
    private def isArray: Boolean = node.isRepeated && !isOneOfMany

    def end: Resolved =
      if (!node.isLeaf) OtherShape else if (isArray) Repeated else Found(node.column)

    def next(step: Step, later: Seq[Step], caseSensitive: Boolean): Either[Resolved, Place] =
      step match {
        case Field(_, _) if isArray || node.collection != Collection.None => Left(Repeated)
        case Field(name, None) => only(node.named(name, caseSensitive), orElse = absent)
        case Field(_, id) => only(node.children.filter(_.fieldId == id), orElse = OtherShape)
        case Element if isArray => within(node.collection == Collection.None, node)
        case Element => element(later)
        case Key => entry(0)
        case Value => entry(1)
      }

    /** Where lists are spelled in another way, a name that is not there may be another's. */
    private def absent: Resolved =
      if (node.path.isEmpty || !node.isLeaf && node.isFlat && node.children.forall(_.isFlat))
        Absent
      else OtherShape

    private def only(found: Seq[SchemaNode], orElse: Resolved): Either[Resolved, Place] =
      if (found.isEmpty) Left(orElse)
      else if (found.length > 1) Left(Ambiguous)
      else Right(Place(found.head, isOneOfMany = false))

    private def within(isSure: Boolean, repeated: => SchemaNode): Either[Resolved, Place] =
      if (isSure) Right(Place(repeated, isOneOfMany = true)) else Left(Repeated)

    /**
     * The rules for old lists of two levels (LogicalTypes.md, backward compatibility) as Spark has
     * them. Its two readers do not agree on a list of structs one of whose fields has the name of
     * the list's innermost group: then nothing is sure.
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
          if (isSure) Right(Place(element, isOneOfMany = false)) else Left(Ambiguous)
        }
      }

    /** Of a map's key and value Spark knows the order, not the names. */
    private def entry(ordinal: Int): Either[Resolved, Place] = {
      val isMap = !isArray && node.collection == Collection.Map && hasOnlyRepeated &&
        node.children.head.children.length == 2
      if (isMap) Right(Place(node.children.head.children(ordinal), isOneOfMany = false))
      else Left(Repeated)
    }

    private def hasOnlyRepeated: Boolean =
      node.children.length == 1 && node.children.head.isRepeated
  }

  private val known = new WeakHashMap[FileSchema, WeakReference[FileSchema]]

  /**
   * The one instance that files of equal schemas share, as those of a table do, while any of them
   * is remembered.
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

/** What a group is annotated to be. */
private[parquet] sealed abstract class Collection

private[parquet] object Collection {
  case object None extends Collection
  case object List extends Collection
  case object Map extends Collection

  /** Annotations that contradict each other. */
  case object Unclear extends Collection
}

/**
 * A node of the schema tree.
 *
 * @param path names from the root, which has none itself
 * @param fieldId the id that the writer gave it
 * @param column the number of the column chunk, or -1 for a group
 * @param columnType of a leaf, else null
 * @param isNullable whether it or one of its ancestors is optional
 * @param isFlat whether a row holds exactly one value or NULL of it: nothing on its path is
 *   repeated, a LIST or a MAP
 */
private[parquet] final case class SchemaNode(
    path: Vector[String],
    fieldId: Option[Int],
    collection: Collection,
    isRepeated: Boolean,
    children: Vector[SchemaNode],
    column: Int,
    columnType: ColumnType,
    isNullable: Boolean,
    isFlat: Boolean) {

  def name: String = path.last
  def isLeaf: Boolean = column >= 0
  def leaves: Seq[SchemaNode] = if (isLeaf) Seq(this) else children.flatMap(_.leaves)

  def named(name: String, caseSensitive: Boolean): Seq[SchemaNode] =
    if (caseSensitive) children.filter(_.name == name)
    else children.filter(child => SchemaNode.fold(child.name) == SchemaNode.fold(name))

  /** Two vectors, one name (the others are its ancestors') and a type for a node. */
  def retainedBytes: Long =
    children.foldLeft(
      64L + 120 + fieldId.fold(0)(_ => 32) + 8L * (path.length + children.length) +
        (if (path.isEmpty) 0
         else 48 + name.length) + (if (isLeaf) 48 else 0))(_ + _.retainedBytes)
}

private[parquet] object SchemaNode {

  /** As Spark folds names; `equalsIgnoreCase` takes more letters for the same. */
  def fold(name: String): String = name.toLowerCase(Locale.ROOT)
}
