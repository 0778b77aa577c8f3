package io.sbbf.orc.eval

import java.util.Locale

import scala.annotation.tailrec

import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.ColumnPath.Field
import io.sbbf.parquet.model.{ColumnLookup, LeafResult}

/** How a file stores a column of the table. */
private[eval] sealed abstract class StoredColumn

private[eval] object StoredColumn {

  /** The file lacks the column, so all of its rows have its default. */
  case object Absent extends StoredColumn

  /** @param isNested whether the column is a field of a struct, which may be NULL itself */
  final case class Found(of: TypeDescription, isNested: Boolean) extends StoredColumn

  final case class Unknown(result: LeafResult) extends StoredColumn

  private val ByPosition = LeafResult.unknown("columns found by position")

  /**
   * Finds a column by its names, as Spark's reader does. It finds those of Hive's old writer, which
   * named all columns `_col<n>`, by position.
   *
   * Source: `OrcUtils.requestedColumnIds` of Spark.
   */
  def of(path: ColumnPath, schema: TypeDescription, lookup: ColumnLookup): StoredColumn =
    if (path.isRepeated) Unknown(LeafResult.RepeatedColumn)
    else if (!isStruct(schema) || schema.getFieldNames.isEmpty) Unknown(LeafResult.SchemaMismatch)
    else if (schema.getFieldNames.stream.allMatch(_.startsWith("_col"))) Unknown(ByPosition)
    else descend(schema, path.steps.toList, lookup, isNested = false)

  @tailrec
  private def descend(
      struct: TypeDescription,
      steps: List[ColumnPath.Step],
      lookup: ColumnLookup,
      isNested: Boolean): StoredColumn = steps match {
    case Field(name, _) :: others if isStruct(struct) =>
      val names = struct.getFieldNames
      (0 until names.size).filter(i => isSame(names.get(i), name, lookup.caseSensitive)) match {
        case Seq() if isNested || others.nonEmpty => Unknown(LeafResult.SchemaMismatch)
        case Seq() => Absent
        case Seq(one) =>
          val child = struct.getChildren.get(one)
          if (others.isEmpty) Found(child, isNested)
          else descend(child, others, lookup, isNested = true)
        case _ => Unknown(LeafResult.AmbiguousColumn)
      }
    case _ => Unknown(LeafResult.SchemaMismatch)
  }

  private def isStruct(of: TypeDescription): Boolean = of.getCategory == Category.STRUCT

  private def isSame(a: String, b: String, caseSensitive: Boolean): Boolean =
    a == b || !caseSensitive && a.toLowerCase(Locale.ROOT) == b.toLowerCase(Locale.ROOT)
}
