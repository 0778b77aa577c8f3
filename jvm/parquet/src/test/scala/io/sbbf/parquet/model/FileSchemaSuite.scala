package io.sbbf.parquet.model

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.ColumnPath.Field
import io.sbbf.parquet.model.FileSchema.{Absent, Found, Resolved, SchemaMismatch}

/** Columns that a table finds by ids; `NestedColumnsSuite` has columns found by names. */
final class FileSchemaSuite extends AnyFunSuite {
  private val long = ColumnType(Physical.Int64, Logical.Plain)

  private def node(name: String, id: Option[Int], column: Int, children: SchemaNode*) =
    SchemaNode(
      Vector(name),
      id,
      Collection.None,
      isRepeated = false,
      children.toVector,
      column,
      if (children.isEmpty) long else null,
      isNullable = true,
      isFlat = true)

  private def schema(children: SchemaNode*) =
    FileSchema(node("root", None, -1, children: _*).copy(path = Vector.empty))

  private val a = node("a", Some(1), 0)
  private val pair = node("pair", Some(2), -1, node("b", Some(3), 1))
  private val withIds = schema(a, pair)
  private val withoutIds = schema(a.copy(fieldId = None))

  private def path(ids: Int*) = ColumnPath(ids.map(id => Field("any", Some(id))))

  private val readers = Seq(ReaderRules.Spark, ReaderRules.Iceberg)

  private def resolved(file: FileSchema, path: ColumnPath, reader: ReaderRules): Resolved =
    file.resolve(path, ColumnLookup(caseSensitive = true, reader = reader))

  test("a column is found by its id, whatever its name.") {
    for (reader <- readers) {
      assert(resolved(withIds, path(1), reader) == Found(0))
      assert(resolved(withIds, path(2, 3), reader) == Found(1))
    }
  }

  test("an id that a file with ids lacks reads as NULL only by the rules of Iceberg.") {
    assert(resolved(withIds, path(7), ReaderRules.Iceberg) == Absent)
    assert(resolved(withIds, path(7), ReaderRules.Spark) == SchemaMismatch)
  }

  test("a file without ids, and a field within a struct, stay unknown.") {
    assert(resolved(withoutIds, path(7), ReaderRules.Iceberg) == SchemaMismatch)
    assert(resolved(withIds, path(2, 7), ReaderRules.Iceberg) == SchemaMismatch)
  }

  test("a column that is found by its name reads as NULL in files that lack it.") {
    val named = ColumnPath.named(Seq("c"))
    for (reader <- readers) assert(resolved(withIds, named, reader) == Absent)
  }
}
