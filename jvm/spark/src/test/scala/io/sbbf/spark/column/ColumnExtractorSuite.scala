package io.sbbf.spark.column

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.METADATA_COL_ATTR_KEY
import org.apache.spark.sql.types._

import io.sbbf.core.predicate.ColumnPath.Field
import io.sbbf.core.predicate.{ColumnPath, RowGroupPredicate}
import io.sbbf.spark.predicate.TranslatorSuite
import io.sbbf.spark.util.FieldId

/** Tests which expressions are a column of the files, and the path of that column. */
class ColumnExtractorSuite extends TranslatorSuite {

  private def column(name: String, ddl: String, metadata: Metadata = Metadata.empty) =
    AttributeReference(name, DataType.fromDDL(ddl), metadata = metadata)()

  private val xs = column("xs", "ARRAY<INT>")
  private val xss = column("xss", "ARRAY<ARRAY<INT>>")
  private val rows = column("rows", "ARRAY<STRUCT<a: INT, tags: ARRAY<STRING>>>")
  private val deep = column("deep", "STRUCT<s: STRUCT<x: INT, y: BIGINT>, xs: ARRAY<INT>>")
  private val map = column("map", "MAP<STRING, INT>")
  private val maps = column("maps", "MAP<INT, MAP<STRING, STRUCT<a: INT, b: BIGINT>>>")

  private def marked(key: String) = new MetadataBuilder().putString(key, "").build()
  private val isMetadata = FileSourceMetadataAttribute.metadata("_metadata")

  private def item(array: Expression, n: Int = 0): Expression =
    GetArrayItem(array, Literal(n), failOnError = false)
  private def fields(array: Expression, ordinal: Int): Expression = {
    val struct = array.dataType.asInstanceOf[ArrayType].elementType.asInstanceOf[StructType]
    GetArrayStructFields(array, struct(ordinal), ordinal, struct.size, containsNull = true)
  }
  private def elementAt(of: Expression, place: Any, failOnError: Boolean = false) =
    ElementAt(of, Literal(place), None, failOnError)
  private def at(of: Expression, key: Any): Expression = GetMapValue(of, Literal(key))

  private def extractor(
      partitions: Set[String] = Set("DAY"),
      caseSensitive: Boolean = false,
      byFieldId: Boolean = false) = new ColumnExtractor(partitions, caseSensitive, byFieldId)

  private val hits: Seq[(String, Expression, String, String)] = Seq(
    ("a column", id, "id", "BIGINT"),
    ("a field of a struct", GetStructField(point, 1), "point.y", "INT"),
    ("a struct", point, "point", "STRUCT<x: INT, y: INT>"),
    ("a field of a field", GetStructField(GetStructField(deep, 0), 1), "deep.s.y", "BIGINT"),
    ("an array", xs, "xs", "ARRAY<INT>"),
    ("an item of an array", item(xs, 7), "xs.element", "INT"),
    ("any item of an array", ColumnExtractor.itemOf(xs), "xs.element", "INT"),
    ("the last element of an array", elementAt(xs, -1), "xs.element", "INT"),
    ("an item of a field", item(GetStructField(deep, 1)), "deep.xs.element", "INT"),
    ("an item of an item", item(item(xss)), "xss.element.element", "INT"),
    ("a field of an item", GetStructField(item(rows), 0), "rows.element.a", "INT"),
    ("an item of the fields of structs", item(fields(rows, 0)), "rows.element.a", "INT"),
    (
      "an item of an item of the fields of structs",
      item(item(fields(rows, 1))),
      "rows.element.tags.element",
      "STRING"),
    ("a key", item(MapKeys(map)), "map.key", "STRING"),
    ("a value", elementAt(MapValues(map), 1), "map.value", "INT"),
    ("the key of an entry", GetStructField(item(MapEntries(map)), 0), "map.key", "STRING"),
    ("the value of an entry", GetStructField(item(MapEntries(map)), 1), "map.value", "INT"),
    ("a key of a map that is a value", item(MapKeys(at(maps, 1))), "maps.value.key", "STRING"),
    (
      "a field of a value",
      GetStructField(item(MapValues(item(MapValues(maps)))), 1),
      "maps.value.value.b",
      "BIGINT"),
    ("a column with the name of metadata", column("_metadata", "INT"), "_metadata", "INT")
  )

  for ((title, expression, path, dataType) <- hits) test(s"$title is a column of the files.") {
    val found = extractor().unapply(expression)
    assert(found.map(_.name).contains(path))
    assert(found.map(_.dataType).contains(DataType.fromDDL(dataType)))
  }

  private val misses: Seq[(String, Expression)] = Seq(
    "a partition column in any case" -> day.withName("dAY"),
    "a field of a partition column" -> GetStructField(column("Day", "STRUCT<x: INT>"), 0),
    "a metadata column" -> column("_metadata", "STRUCT<file_size: BIGINT>", isMetadata),
    "a field of a metadata column" ->
      GetStructField(column("_metadata", "STRUCT<file_size: BIGINT>", isMetadata), 0),
    "a metadata column of another name" -> column("file_size", "BIGINT", isMetadata),
    "the row index" -> column("_tmp_metadata_row_index", "BIGINT"),
    "the row index in another case" -> column("_TMP_metadata_row_index", "BIGINT"),
    "a part of a VARIANT" -> column("v", "INT", marked("__VARIANT_METADATA_KEY")),
    "a literal" -> Literal(1),
    "a function of a column" -> Upper(name),
    "a cast of a column" -> Cast(id, StringType),
    "a field of a struct that is no column" ->
      GetStructField(CreateNamedStruct(Seq(Literal("x"), id)), 0),
    "an item of an array that is no column" -> item(CreateArray(Seq(id))),
    "an item that fails for a short array" -> GetArrayItem(xs, Literal(0), failOnError = true),
    "an element that fails for a short array" -> elementAt(xs, 1, failOnError = true),
    "an item at the place of a column" -> GetArrayItem(xs, id, failOnError = false),
    "an element at place 0" -> elementAt(xs, 0),
    "an element or a default" -> ElementAt(xs, Literal(1), Some(Literal(0)), failOnError = false),
    "all keys of a map" -> MapKeys(map),
    "all values of a map" -> MapValues(map),
    "an entry of a map" -> item(MapEntries(map)),
    "a field of all structs of an array" -> fields(rows, 0),
    "a value at the key of a column" -> GetMapValue(map, name)
  )

  test("the second key of a join by USING is a column of the files.") {
    val key = column("id", "INT", marked(METADATA_COL_ATTR_KEY))
    assert(extractor().unapply(key).map(_.name).contains("id"))
  }

  for ((title, expression) <- misses) test(s"$title is no column of the files.") {
    assert(extractor().unapply(expression).isEmpty)
  }

  test("a value at a key is in a row with that key, whatever the form of the lookup.") {
    val path = ColumnPath(Seq(Field("map"), ColumnPath.Key))
    val lookups =
      Seq(at(map, "x"), elementAt(map, "x"), elementAt(map, "x", failOnError = true))
    for (found <- lookups.map(extractor().unapply(_).get)) {
      assert(found.name == "map.value" && found.dataType == IntegerType)
      assert(found.keys == Seq(RowGroupPredicate.Leaf(path, in(text("x")))))
    }
    val nested = extractor().unapply(GetStructField(at(at(maps, 1), "x"), 0)).get
    val keys = nested.keys.flatMap(_.leaves).map(_.column.toString)
    assert(nested.name == "maps.value.value.a")
    assert(keys.distinct == Seq("maps.key", "maps.value.key"))
    val noKey = extractor().unapply(GetMapValue(map, nullOf(StringType))).get
    assert(noKey.name == "map.value" && noKey.keys.isEmpty)
  }

  test("only in a session that compares case is a column with another case one of the files.") {
    for ((partition, isColumn) <- Seq("day" -> false, "DAY" -> true, "night" -> true))
      assert(
        extractor(Set(partition), caseSensitive = true).unapply(day).isDefined == isColumn,
        partition)
    assert(extractor(Set("night")).unapply(day).isDefined)
  }

  test("an id identifies a field where the session finds fields by id, and an invalid id none.") {
    def withId(id: Long) = new MetadataBuilder().putLong(FieldId.Key, id).build()
    val struct = new StructType().add("x", IntegerType, nullable = true, withId(8))
    def path(id: Long, byFieldId: Boolean) = {
      val column = AttributeReference("c", struct, metadata = withId(id))()
      extractor(byFieldId = byFieldId).unapply(GetStructField(column, 0)).map(_.path.steps)
    }
    assert(path(7, byFieldId = true).contains(Seq(Field("c", Some(7)), Field("x", Some(8)))))
    assert(path(7, byFieldId = false).contains(Seq(Field("c"), Field("x"))))
    assert(path(1L << 32, byFieldId = true).isEmpty)
    assert(path(1L << 32, byFieldId = false).isDefined)
    assert(extractor(byFieldId = true).unapply(id).map(_.path.steps).contains(Seq(Field("id"))))
  }
}
