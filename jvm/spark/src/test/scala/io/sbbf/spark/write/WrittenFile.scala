package io.sbbf.spark.write

import java.io.{ByteArrayOutputStream, File}
import java.nio.file.Files
import java.nio.{ByteBuffer, ByteOrder}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.column.values.bloomfilter.{BlockSplitBloomFilter, BloomFilter}
import org.apache.parquet.column.{ColumnDescriptor, ColumnReader}
import org.apache.parquet.example.DummyRecordConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/** Reads a Parquet file by parquet-mr: its filters, and the values to compare them with. */
final class WrittenFile(file: File) {
  private val input = HadoopInputFile.fromPath(new Path(file.toURI), new Configuration)

  /** The first bytes of the file: all data and indexes that precede the filters. */
  def bytesBefore(end: Long): Seq[Byte] = Files.readAllBytes(file.toPath).take(end.toInt).toSeq

  def length: Long = file.length

  /** The offset of the footer, whose length precedes the four magic bytes. */
  def footerStart: Long = {
    val end = Files.readAllBytes(file.toPath).takeRight(8)
    length - 8 - ByteBuffer.wrap(end).order(ByteOrder.LITTLE_ENDIAN).getInt
  }

  def footer: ParquetMetadata = read(_.getFooter)

  def numRowGroups: Int = footer.getBlocks.size

  /** The dotted paths of its columns. */
  def leaves: Seq[String] =
    footer.getFileMetaData.getSchema.getPaths.asScala.map(_.mkString(".")).toSeq

  /** The bitset of a chunk's filter, if it has one. */
  def filter(rowGroup: Int, column: String): Option[Array[Byte]] = read { reader =>
    val chunk = reader.getFooter.getBlocks
      .get(rowGroup)
      .getColumns
      .asScala
      .find(_.getPath.toDotString == column)
      .get
    Option(reader.readBloomFilter(chunk)).map(bitset)
  }

  /** The offset of the first filter. */
  def firstFilter: Long =
    footer.getBlocks.asScala
      .flatMap(_.getColumns.asScala.map(_.getBloomFilterOffset))
      .filter(_ > 0)
      .min

  /** The hashes of a chunk's values, by parquet-mr's own hash. */
  def hashes(rowGroup: Int, column: String): Set[Long] = read { reader =>
    val schema = reader.getFooter.getFileMetaData.getSchema
    (0 until rowGroup).foreach(_ => reader.skipNextRowGroup())
    val pages = reader.readNextRowGroup()
    val store = new ColumnReadStoreImpl(
      pages,
      new DummyRecordConverter(schema).getRootConverter,
      schema,
      reader.getFooter.getFileMetaData.getCreatedBy)
    val described = schema.getColumns.asScala.find(_.getPath.mkString(".") == column).get
    val values = store.getColumnReader(described)
    (0L until pages.getPageReader(described).getTotalValueCount).flatMap { _ =>
      val isThere = values.getCurrentDefinitionLevel == described.getMaxDefinitionLevel
      val found = if (isThere) hashesOf(values, described) else Nil
      values.consume()
      found
    }.toSet
  }

  /** Returns the filter of this size that parquet-mr builds from these hashes. */
  def built(hashes: Set[Long], numBytes: Int): Array[Byte] = {
    val filter = new BlockSplitBloomFilter(numBytes)
    hashes.foreach(filter.insertHash)
    bitset(filter)
  }

  private val hasher = new BlockSplitBloomFilter(32)

  /**
   * Returns the hashes of a value: of both zeros for a zero, and also of Java's NaN for a NaN.
   */
  private def hashesOf(values: ColumnReader, column: ColumnDescriptor): Seq[Long] =
    column.getPrimitiveType.getPrimitiveTypeName match {
      case INT32 => Seq(hasher.hash(values.getInteger))
      case INT64 => Seq(hasher.hash(values.getLong))
      case FLOAT if values.getFloat == 0 => Seq(0f, -0f).map(hasher.hash(_))
      case FLOAT if values.getFloat.isNaN =>
        Seq(values.getFloat, Float.NaN).map(hasher.hash(_))
      case FLOAT => Seq(hasher.hash(values.getFloat))
      case DOUBLE if values.getDouble == 0 => Seq(0d, -0d).map(hasher.hash(_))
      case DOUBLE if values.getDouble.isNaN =>
        Seq(values.getDouble, Double.NaN).map(hasher.hash(_))
      case DOUBLE => Seq(hasher.hash(values.getDouble))
      case _ => Seq(hasher.hash(values.getBinary))
    }

  private def bitset(filter: BloomFilter): Array[Byte] = {
    val out = new ByteArrayOutputStream
    filter.writeTo(out)
    out.toByteArray
  }

  private def read[T](body: ParquetFileReader => T): T = {
    val reader = ParquetFileReader.open(input)
    try body(reader)
    finally reader.close()
  }
}
