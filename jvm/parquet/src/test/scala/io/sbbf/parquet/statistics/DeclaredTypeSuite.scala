package io.sbbf.parquet.statistics

import java.util.Arrays

import org.apache.parquet.format.{
  ConvertedType,
  FieldRepetitionType,
  FileMetaData,
  KeyValue,
  SchemaElement,
  Statistics,
  Type
}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.statistics.DeclaredType._
import io.sbbf.parquet.testing.SyntheticFooter._

/** Tests which files store a column as a table declares it. */
class DeclaredTypeSuite extends AnyFunSuite {
  private val ParquetMr = "parquet-mr version 1.15.2 (build x)"

  private def isStored(
      column: Column,
      declared: DeclaredType,
      statistics: Statistics,
      writer: String = ParquetMr,
      change: FileMetaData => Unit = _ => ()): Boolean = {
    val thrift = metadata(Seq("c" -> column), 1)((_, _) => statistics).setCreated_by(writer)
    change(thrift)
    build(thrift).storesAsDeclared(ColumnPath.named(Seq("c")), declared, caseSensitive = true)
  }

  private def ofSpark(thrift: FileMetaData): Unit =
    thrift.addToKey_value_metadata(new KeyValue("org.apache.spark.version").setValue("4.0.1"))

  /** Returns the entry that names the writers of what parquet-mr copied. */
  private def original(writers: String): KeyValue =
    new KeyValue("original.created.by").setValue(writers)

  private val int8 = Column(Type.INT32, converted = ConvertedType.INT_8)
  private val int16 = Column(Type.INT32, converted = ConvertedType.INT_16)
  private val int32 = Column(Type.INT32)
  private val int64 = Column(Type.INT64)
  private def decimal(physical: Type, precision: Int, scale: Int, length: Int = 0) =
    Column(
      physical,
      converted = ConvertedType.DECIMAL,
      length = length,
      precision = precision,
      scale = scale)
  private val small = bounds(int(-128), int(127))

  for ((name, column, declared, statistics, expected) <- Seq(
      ("TINYINT in INT_8", int8, Integer(8), small, true),
      ("TINYINT in INT_16", int16, Integer(8), small, false),
      ("TINYINT in a plain INT32", int32, Integer(8), small, false),
      ("TINYINT with a value beyond it", int8, Integer(8), bounds(int(0), int(128)), false),
      ("TINYINT without bounds", int8, Integer(8), null, false),
      ("TINYINT of NULLs", int8, Integer(8), new Statistics().setNull_count(NumRows), true),
      ("SMALLINT in INT_8", int8, Integer(16), small, true),
      ("SMALLINT in INT_16", int16, Integer(16), bounds(int(-32768), int(32767)), true),
      ("SMALLINT below it", int16, Integer(16), bounds(int(-32769), int(0)), false),
      ("BIGINT in INT64", int64, Integer(64), null, true),
      ("BIGINT in INT32", int32, Integer(64), null, false),
      ("DOUBLE in DOUBLE", Column(Type.DOUBLE), Floating(64), null, true),
      ("DOUBLE in FLOAT", Column(Type.FLOAT), Floating(64), null, false),
      ("DECIMAL(9,2) in INT32", decimal(Type.INT32, 9, 2), Decimal(9, 2), small, true),
      ("DECIMAL(9,2) in a wider one", decimal(Type.INT64, 18, 2), Decimal(9, 2), null, false),
      (
        "DECIMAL(4,2) with a value of five digits",
        decimal(Type.INT32, 4, 2),
        Decimal(4, 2),
        bounds(int(0), int(10000)),
        false),
      (
        "DECIMAL(20,2) in bytes",
        decimal(Type.FIXED_LEN_BYTE_ARRAY, 20, 2, 9),
        Decimal(20, 2),
        bounds(fixed(-5, 9), fixed(5, 9)),
        true),
      (
        "DECIMAL(20,2) in too few bytes",
        decimal(Type.FIXED_LEN_BYTE_ARRAY, 20, 2, 8),
        Decimal(20, 2),
        bounds(fixed(-5, 8), fixed(5, 8)),
        false),
      (
        "a narrower decimal fits",
        decimal(Type.INT32, 4, 2),
        DecimalWithin(9, 2),
        bounds(int(-9999), int(9999)),
        true),
      (
        "a decimal of bytes whose value does not fit",
        decimal(Type.FIXED_LEN_BYTE_ARRAY, 4, 2, 5),
        DecimalWithin(4, 2),
        bounds(fixed(-10000, 5), fixed(0, 5)),
        false),
      ("a decimal of another scale", decimal(Type.INT32, 4, 3), DecimalWithin(9, 2), small, false)
    )) test(s"$name: $expected.") {
    assert(isStored(column, declared, statistics, change = ofSpark) == expected)
  }

  for ((writer, expected) <- Seq(
      "parquet-mr version 1.9.0" -> false,
      "parquet-mr version 1.10.0" -> true,
      "parquet-mr version 1.17.1 (build y)" -> true,
      "parquet-mr version 1.18.0" -> false,
      "parquet-mr version 2.0.0" -> false,
      "parquet-mr compatible Photon version 0.2" -> false,
      "parquet-mr" -> false,
      "parquet-cpp-arrow version 20.0.0" -> false
    )) test(s"bounds of floating-point columns by $writer count NaN: $expected.") {
    assert(isStored(Column(Type.DOUBLE), Floating(64), null, writer, ofSpark) == expected)
    assert(
      !isStored(Column(Type.DOUBLE), Floating(64), null, writer)
    ) // who made the bounds is unknown
    assert(isStored(int8, Integer(8), small, writer)) // bounds of whole numbers are not affected
  }

  test("bounds that parquet-mr copied from another writer may leave out NaN.") {
    def rewritten(thrift: FileMetaData): Unit = {
      ofSpark(thrift)
      thrift.addToKey_value_metadata(original("DuckDB"))
    }
    assert(!isStored(Column(Type.DOUBLE), Floating(64), null, change = rewritten))
    assert(isStored(int8, Integer(8), small, change = rewritten))
  }

  test("bounds of a file that Arrow wrote from a file of Spark may leave out NaN.") {
    def copied(thrift: FileMetaData): Unit = {
      ofSpark(thrift)
      thrift.addToKey_value_metadata(new KeyValue("ARROW:schema").setValue(""))
    }
    assert(!isStored(Column(Type.DOUBLE), Floating(64), null, change = copied))
  }

  test("null counts that parquet-mr copied are as reliable as those of their writers.") {
    val text = Column(Type.BYTE_ARRAY, converted = ConvertedType.UTF8)
    def counts(copied: String*) = {
      val thrift = metadata(Seq("c" -> text), 1)((_, _) => new Statistics().setNull_count(0))
      thrift.setCreated_by(ParquetMr)
      if (copied.nonEmpty) thrift.addToKey_value_metadata(original(copied.mkString("\n")))
      build(thrift).countsNulls(ColumnPath.named(Seq("c")), caseSensitive = true)
    }
    assert(counts() && counts("parquet-cpp-arrow version 20.0.0"))
    assert(!counts("parquet-cpp-arrow version 20.0.0", "parquet-cpp-arrow version 5.0.0"))
  }

  test("null counts of a struct's fields need a writer that counts the struct's NULLs.") {
    def counts(writer: String) = {
      val thrift = metadata(Seq("a" -> int32), 1)((_, _) => new Statistics().setNull_count(1))
      val struct = new SchemaElement("s").setNum_children(1)
      thrift.getSchema.add(1, struct.setRepetition_type(FieldRepetitionType.OPTIONAL))
      val chunk = thrift.getRow_groups.get(0).getColumns.get(0).getMeta_data
      chunk.setPath_in_schema(Arrays.asList("s", "a"))
      build(thrift.setCreated_by(writer))
        .countsNulls(ColumnPath.named(Seq("s", "a")), caseSensitive = true)
    }
    assert(
      counts(ParquetMr) && counts("parquet-cpp-arrow version 20.0.0") && counts("DuckDB v1.2"))
    for (writer <- Seq("cudf", "Polars", "parquet-mr version 1.8.1", ""))
      assert(!counts(writer), writer)
  }

  test("days and instants are stored as declared in files that Spark does not rebase.") {
    val day = Column(Type.INT32, converted = ConvertedType.DATE)
    val micros = Column(Type.INT64, converted = ConvertedType.TIMESTAMP_MICROS)
    val millis = Column(Type.INT64, converted = ConvertedType.TIMESTAMP_MILLIS)
    assert(isStored(day, Date, null, change = ofSpark) && !isStored(day, Date, null))
    for (inMicros <- Seq(true, false); isGregorian <- Seq(true, false)) {
      val declared = Timestamp(inMicros, isGregorian)
      assert(isStored(micros, declared, null, change = ofSpark), declared)
      assert(isStored(millis, declared, null, change = ofSpark) == !inMicros, declared)
      assert(isStored(micros, declared, null) == !isGregorian, declared)
      assert(isStored(millis, declared, null) == (!inMicros && !isGregorian), declared)
      assert(!isStored(int64, declared, null, change = ofSpark), declared)
    }
  }

  test("a column that the file lacks counts as stored as declared.") {
    val required = int8.copy(repetition = FieldRepetitionType.REQUIRED)
    val footer = build(metadata(Seq("other" -> required), 1)((_, _) => small))
    assert(footer.storesAsDeclared(ColumnPath.named(Seq("c")), Integer(8), caseSensitive = true))
  }

  test("NULLs are counted if every row group has a null count, or if the column is missing.") {
    def counts(column: String, ofGroups: Statistics*) =
      build(metadata(Seq("c" -> int32), ofGroups.size)((group, _) => ofGroups(group)))
        .countsNulls(ColumnPath.named(Seq(column)), caseSensitive = true)
    val counted = new Statistics().setNull_count(1)
    assert(counts("c", counted, counted))
    assert(!counts("c", counted, new Statistics()))
    assert(!counts("c", counted, null))
    assert(counts("other", counted, null))
  }
}
