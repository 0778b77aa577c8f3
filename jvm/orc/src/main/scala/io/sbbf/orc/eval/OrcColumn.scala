package io.sbbf.orc.eval

import java.util.regex.Pattern

import scala.annotation.tailrec

import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.ColumnPath.{Field, Step}
import io.sbbf.parquet.model.{ColumnLookup, LeafResult}

/** How a file stores a column of the table. */
private[eval] sealed abstract class OrcColumn

private[eval] object OrcColumn {

  /** The file lacks the column, so all of its rows have its default. */
  case object Absent extends OrcColumn

  /** @param isNested whether the column is a field of a struct, which may be NULL itself */
  final case class Found(of: TypeDescription, isNested: Boolean) extends OrcColumn

  final case class Unknown(result: LeafResult) extends OrcColumn

  private val Numbered = Pattern.compile("_col\\d+")
  private val NamedLikePositions = LeafResult.unknown("columns that may be found by position")
  private val FoundById = LeafResult.unknown("columns that are found by id")

  /**
   * Finds a column as Spark's reader does: by its names, or by its position in files of Hive's old
   * writer, which named all columns `_col<n>`. A path with ids is Unknown: its names need not be
   * those of the file.
   *
   * Source: `OrcUtils.requestedColumnIds` of Spark, `SchemaEvolution` of ORC.
   */
  def of(
      path: ColumnPath,
      file: TypeDescription,
      table: ReadSchema,
      lookup: ColumnLookup): OrcColumn = {
    def names = file.getFieldNames.stream
    if (path.isRepeated) Unknown(LeafResult.RepeatedColumn)
    else if (path.steps.exists(hasId)) Unknown(FoundById)
    else if (!isStruct(file) || file.getFieldNames.isEmpty) Unknown(LeafResult.SchemaMismatch)
    else if (table.byPosition && path.steps.size > 1) Unknown(NamedLikePositions)
    else if (table.byPosition || names.allMatch(Numbered.matcher(_).matches))
      atPosition(path, file, table, lookup)
    else if (names.allMatch(_.startsWith("_col"))) Unknown(NamedLikePositions)
    else descend(file, path.steps.toList, lookup, isNested = false)
  }

  private def atPosition(
      path: ColumnPath,
      file: TypeDescription,
      table: ReadSchema,
      lookup: ColumnLookup): OrcColumn = {
    val position = table.indexOf(path.root, lookup.caseSensitive)
    if (position < 0) Unknown(LeafResult.AmbiguousColumn)
    else if (position >= file.getChildren.size) Absent
    else {
      val child = file.getChildren.get(position)
      if (path.steps.size == 1) Found(child, isNested = false)
      else descend(child, path.steps.toList.tail, lookup, isNested = true)
    }
  }

  @tailrec
  private def descend(
      struct: TypeDescription,
      steps: List[Step],
      lookup: ColumnLookup,
      isNested: Boolean): OrcColumn = steps match {
    case Field(name, _) :: others if isStruct(struct) =>
      val names = struct.getFieldNames
      (0 until names.size).filter(i =>
        ReadSchema.isSame(names.get(i), name, lookup.caseSensitive)) match {
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

  private def hasId(step: Step): Boolean = step match {
    case Field(_, id) => id.isDefined
    case _ => false
  }

  private def isStruct(of: TypeDescription): Boolean = of.getCategory == Category.STRUCT
}
