package io.sbbf.parquet.testing

import java.nio.{ByteBuffer, ByteOrder}
import java.util.{ArrayList, Arrays, Collections}

import org.apache.parquet.format._

import io.sbbf.core.predicate.RowGroupPredicate.{Leaf, Test}
import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.footer.{FileFooter, FooterBuilder}
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, LeafResult}

/**
 * Builds footers that are not read from a file, with columns of any type and with any statistics.
 */
object SyntheticFooter {
  val NumRows = 1000L

  final case class Column(
      physical: Type,
      logical: LogicalType = null,
      converted: ConvertedType = null,
      length: Int = 0,
      precision: Int = 0,
      scale: Int = 0,
      repetition: FieldRepetitionType = FieldRepetitionType.OPTIONAL)

  def element(column: Column, name: String): SchemaElement = {
    val element = new SchemaElement(name).setType(column.physical)
    element.setRepetition_type(column.repetition)
    if (column.logical != null) element.setLogicalType(column.logical)
    if (column.converted != null) element.setConverted_type(column.converted)
    if (column.length > 0) element.setType_length(column.length)
    if (column.precision > 0) element.setPrecision(column.precision).setScale(column.scale)
    element
  }

  def metadata(columns: Seq[(String, Column)], rowGroups: Int)(
      statistics: (Int, Int) => Statistics): FileMetaData = {
    val schema = new ArrayList[SchemaElement]
    schema.add(new SchemaElement("root").setNum_children(columns.length))
    columns.foreach { case (name, column) => schema.add(element(column, name)) }
    val groups = new ArrayList[RowGroup]
    (0 until rowGroups).foreach { g =>
      val chunks = new ArrayList[ColumnChunk]
      columns.zipWithIndex.foreach { case ((name, column), c) =>
        val data = new ColumnMetaData(
          column.physical,
          Collections.singletonList(Encoding.PLAIN),
          Collections.singletonList(name),
          CompressionCodec.UNCOMPRESSED,
          NumRows,
          100,
          100,
          4 + 100L * (g * columns.length + c)
        )
        if (statistics(g, c) != null) data.setStatistics(statistics(g, c))
        chunks.add(new ColumnChunk(0).setMeta_data(data))
      }
      groups.add(new RowGroup(chunks, 100L * columns.length, NumRows))
    }
    new FileMetaData(1, schema, NumRows * rowGroups, groups)
      .setColumn_orders(
        Collections.nCopies(columns.length, ColumnOrder.TYPE_ORDER(new TypeDefinedOrder)))
  }

  def build(metadata: FileMetaData): FileFooter =
    new FooterBuilder(metadata, 1000000L).build()

  /** Evaluates a test on a row group whose only column `c` has these statistics. */
  def evaluate(
      column: Column,
      statistics: Statistics,
      test: Test,
      change: FileMetaData => Unit = _ => ()): LeafResult = {
    val thrift = metadata(Seq("c" -> column), 1)((_, _) => statistics)
    change(thrift)
    val evidence = new FileEvidence(build(thrift))
    evidence
      .bind(Leaf(Seq("c"), test), ColumnLookup(caseSensitive = true), new LiteralEncodings)
      .evalStatistics(0)
  }

  def bounds(min: Array[Byte], max: Array[Byte], nulls: Long = -1): Statistics = {
    val statistics = new Statistics().setMin_value(min).setMax_value(max)
    if (nulls >= 0) statistics.setNull_count(nulls) else statistics
  }

  def int(v: Int): Array[Byte] = little(4).putInt(v).array
  def long(v: Long): Array[Byte] = little(8).putLong(v).array
  def float(v: Float): Array[Byte] = little(4).putFloat(v).array
  def double(v: Double): Array[Byte] = little(8).putDouble(v).array
  def text(v: String): Array[Byte] = v.getBytes("UTF-8")
  def fixed(v: Long, length: Int): Array[Byte] = {
    val bytes = java.math.BigInteger.valueOf(v).toByteArray
    val plain = new Array[Byte](length)
    Arrays.fill(plain, (if (v < 0) -1 else 0).toByte)
    System.arraycopy(bytes, 0, plain, length - bytes.length, bytes.length)
    plain
  }

  private def little(size: Int) = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN)
}
