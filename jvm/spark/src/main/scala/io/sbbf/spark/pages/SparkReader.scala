package io.sbbf.spark.pages

import java.lang.reflect.Field

import scala.util.Try

import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.execution.datasources.RecordReaderIterator
import org.apache.spark.sql.execution.datasources.parquet.{
  SpecificParquetRecordReaderBase,
  VectorizedParquetRecordReader
}

/** Spark's vectorized reader of a part of a file, before its first batch. */
private[pages] final class SparkReader private (reader: VectorizedParquetRecordReader) {
  import SparkReader._

  private val rowGroups: AnyRef = RowGroups.get(reader)

  // a reader is changed only if all of it is known
  private val totalRows = TotalRows

  /** What reads the file. */
  val file: ParquetFileReader = fileOf(rowGroups)

  /** The columns that it reads. */
  def requested: MessageType = Requested.get(reader).asInstanceOf[MessageType]

  /**
   * Makes it return batches instead of rows; returns the numbers of their rows. Spark's own column of
   * them takes as long as the keys.
   */
  def returnBatches(): RowNumbers = {
    val numbers = new RowNumbers
    val read = RowGroups.getType.getMethod("readNextRowGroup")
    read.setAccessible(true)
    replaceRowGroups {
      val pages = Delegate.call(read, rowGroups).asInstanceOf[PageReadStore]
      if (pages != null) numbers.begin(pages)
      pages
    }
    reader.enableReturningBatches()
    numbers
  }

  /**
   * Makes it read other row groups.
   *
   * @param rows the rows that they will have
   * @param next returns the next one, with as many rows or more
   */
  def readInstead(rows: Seq[Long], next: Iterator[PageReadStore]): Unit = {
    val expected = rows.iterator
    def read(): PageReadStore = {
      val pages = next.next()
      totalRows.setLong(reader, totalRows.getLong(reader) + pages.getRowCount - expected.next())
      pages
    }
    replaceRowGroups(if (next.hasNext) read() else null)
    totalRows.setLong(reader, rows.sum)
  }

  private def replaceRowGroups(next: => PageReadStore): Unit =
    RowGroups.set(
      reader,
      Delegate.of(RowGroups.getType.asInstanceOf[Class[AnyRef]], rowGroups) {
        case ("readNextRowGroup", _) => next
      })
}

private[pages] object SparkReader {

  /** Returns None if the rows come from another reader, or from classes that are not known. */
  def of(rows: Iterator[Any]): Option[SparkReader] = rows match {
    case iterator: RecordReaderIterator[_] =>
      Try(Reader.get(iterator)).toOption.flatMap {
        case vectorized: VectorizedParquetRecordReader =>
          Try(new SparkReader(vectorized)).toOption
        case _ => None
      }
    case _ => None
  }

  private lazy val Reader = field(classOf[RecordReaderIterator[_]], "rowReader")
  private lazy val RowGroups = field(classOf[SpecificParquetRecordReaderBase[_]], "reader")
  private lazy val Requested =
    field(classOf[SpecificParquetRecordReaderBase[_]], "requestedSchema")
  private lazy val TotalRows = field(classOf[SpecificParquetRecordReaderBase[_]], "totalRowCount")

  private def fileOf(rowGroups: AnyRef): ParquetFileReader =
    field(rowGroups.getClass, "reader").get(rowGroups).asInstanceOf[ParquetFileReader]

  private def field(owner: Class[_], name: String): Field = {
    val declared = owner.getDeclaredField(name)
    declared.setAccessible(true)
    declared
  }
}
