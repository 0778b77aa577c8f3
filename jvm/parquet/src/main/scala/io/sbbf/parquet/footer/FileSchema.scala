package io.sbbf.parquet
package footer

import java.lang.ref.WeakReference
import java.util.{Locale, WeakHashMap}

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
   * The column with this path, if there is exactly one; at each level names may differ in case.
   */
  def resolve(path: Seq[String], caseSensitive: Boolean): FileSchema.Resolved = {
    import FileSchema._
    def step(node: SchemaNode, rest: Seq[String]): Resolved =
      if (rest.isEmpty) { if (node.isLeaf) Found(node.column) else Missing }
      else if (node.isLeaf) Missing
      else {
        val named = node.children.filter { child =>
          if (caseSensitive) child.name == rest.head
          else FileSchema.fold(child.name) == FileSchema.fold(rest.head)
        }
        if (named.isEmpty) { if (node eq root) Absent else absentFrom(node) }
        else if (named.length > 1) Ambiguous
        else step(named.head, rest.tail)
      }
    step(root, path)
  }

  /** Heap, estimated with object headers of 16 bytes and references of 8. */
  def retainedBytes: Long = root.retainedBytes + 8L * leaves.length
}

private[parquet] object FileSchema {

  /** As Spark folds names; `equalsIgnoreCase` takes more letters for the same. */
  private def fold(name: String): String = name.toLowerCase(Locale.ROOT)

  /** Where lists are spelled in another way, a name that is not there may be another's. */
  private def absentFrom(struct: SchemaNode): Resolved =
    if (struct.isFlat && struct.children.forall(_.isFlat)) Absent else Missing

  sealed abstract class Resolved
  final case class Found(column: Int) extends Resolved

  /** No such field is in the file, so that each row reads as NULL. */
  case object Absent extends Resolved

  /** There is something else in its place. */
  case object Missing extends Resolved
  case object Ambiguous extends Resolved

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

/**
 * A node of the schema tree.
 *
 * @param path names from the root, which has none itself
 * @param column the number of the column chunk, or -1 for a group
 * @param columnType of a leaf, else null
 * @param isNullable whether it or one of its ancestors is optional
 * @param isFlat whether a row holds exactly one value or NULL of it: nothing on its path is
 *   repeated, a LIST or a MAP
 */
private[parquet] final case class SchemaNode(
    path: Vector[String],
    children: Vector[SchemaNode],
    column: Int,
    columnType: ColumnType,
    isNullable: Boolean,
    isFlat: Boolean) {

  def name: String = path.last
  def isLeaf: Boolean = column >= 0
  def leaves: Seq[SchemaNode] = if (isLeaf) Seq(this) else children.flatMap(_.leaves)

  /** Two vectors, one name (the others are its ancestors') and a type for a node. */
  def retainedBytes: Long =
    children.foldLeft(40L + 120 + 8L * (path.length + children.length) +
      (if (path.isEmpty) 0 else 48 + name.length) + (if (isLeaf) 48 else 0))(_ + _.retainedBytes)
}
