package io.sbbf.parquet.model

import java.util.Locale

/**
 * A node of the schema tree.
 *
 * @param path the names from the root to this node, without a name for the root
 * @param fieldId the id that the writer gave to the field
 * @param column the number of the column chunk, or -1 for a group
 * @param columnType the type of a leaf, or null for a group
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

  /**
   * Estimates the heap in bytes: for a node two vectors, one name and a type. The other names of
   * its path belong to its ancestors.
   */
  def retainedBytes: Long =
    children.foldLeft(
      64L + 120 + fieldId.fold(0)(_ => 32) + 8L * (path.length + children.length) +
        (if (path.isEmpty) 0
         else 48 + name.length) + (if (isLeaf) 48 else 0))(_ + _.retainedBytes)
}

private[parquet] object SchemaNode {

  /** Folds the case of a name as Spark does; `equalsIgnoreCase` equates more letters. */
  def fold(name: String): String = name.toLowerCase(Locale.ROOT)
}
