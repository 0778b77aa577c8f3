package io.sbbf.spark.delta

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.ColumnPath.{Element, Field}

/** Columns of a table whose files have other names; `tests/lakes` has real tables. */
class DeltaColumnsSuite extends AnyFunSuite {

  private val nested = new StructType().add("a", LongType).add("b", StringType)
  private val table =
    new StructType()
      .add("key", LongType)
      .add("pair", nested)
      .add("list", ArrayType(nested))
      .add("day", DateType)

  /** Adds a prefix to each name, as column mapping gives each column another name. */
  private def stored(dataType: DataType): DataType = dataType match {
    case struct: StructType =>
      StructType(struct.map(f => f.copy(name = s"col-${f.name}", dataType = stored(f.dataType))))
    case ArrayType(element, nullable) => ArrayType(stored(element), nullable)
    case other => other
  }

  private val columns =
    new DeltaColumns(table, stored(_).asInstanceOf[StructType], Set("day"))

  private def attribute(name: String, dataType: DataType = LongType) =
    AttributeReference(name, dataType)()

  test("a filter names columns as the files do, and keeps their ids.") {
    val key = attribute("key")
    val Some(EqualTo(found: AttributeReference, _)) =
      columns.filterOnFiles(EqualTo(key, Literal(1L)))
    assert(found.name == "col-key" && found.exprId == key.exprId)
  }

  test("a field of a struct that the query reads in part is the field of that name.") {
    val part = attribute("pair", new StructType().add("b", StringType))
    val Some(field: GetStructField) = columns.filterOnFiles(GetStructField(part, 0))
    assert(field.childSchema(field.ordinal).name == "col-b")
  }

  for (name <- Seq("__delta_internal_is_row_deleted", "day", "KEY", "_metadata"))
    test(s"a filter on $name, which is no column of the files, is left out.") {
      assert(columns.filterOnFiles(EqualTo(attribute(name), Literal(1L))).isEmpty)
      val both = And(EqualTo(attribute("key"), Literal(1L)), IsNull(attribute(name)))
      assert(columns.filterOnFiles(both).isEmpty)
    }

  test("a filter on a part of _metadata is left out, though a column has its name.") {
    val field = FileSourceConstantMetadataStructField("key", LongType, nullable = false)
    val size = AttributeReference(field.name, field.dataType, false, field.metadata)()
    assert(columns.filterOnFiles(GreaterThan(size, Literal(1000L))).isEmpty)
  }

  test("a schema of a scan has only columns of the files.") {
    val scan = table.add("__delta_internal_is_row_deleted", ByteType)
    assert(columns.fileSchema(scan).fieldNames.toSeq == Seq("col-key", "col-pair", "col-list"))
  }

  test("reports name columns as the table does.") {
    val paths = Seq(
      Seq(Field("col-key")) -> "key",
      Seq(Field("col-pair"), Field("col-b")) -> "pair.b",
      Seq(Field("col-list"), Element, Field("col-a")) -> "list.element.a",
      Seq(Field("unknown")) -> "unknown"
    )
    for ((steps, name) <- paths) assert(columns.nameInTable(ColumnPath(steps)) == name)
  }
}
