package io.sbbf.parquet.values

import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.column.page.{DictionaryPage, DictionaryPageReadStore, PageReadStore}
import org.apache.parquet.column.{ColumnDescriptor, ColumnReader}
import org.apache.parquet.example.DummyRecordConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.{GroupType, MessageType, Type}

/**
 * Reads the stored values of column chunks with parquet-mr. It holds one column chunk at a time
 * in memory, compressed.
 */
private[parquet] final class ChunkValues(reader: ParquetFileReader) {
  private val metadata = reader.getFileMetaData
  private val columns = metadata.getSchema.getColumns

  /**
   * Passes all non-null values of a chunk to `sink`. A dictionary passes each of its values once;
   * other pages pass each value as often as they hold it. If the footer does not list all
   * encodings of the chunk, some values are passed more often.
   *
   * @param column the column's number among the leaves of the schema
   * @param isAllDictionary whether all values of the chunk are in its dictionary
   * @throws java.io.IOException if the values cannot be read
   */
  def addTo(sink: ValueSink, rowGroup: Int, column: Int, isAllDictionary: Boolean): Unit = {
    val descriptor = columns.get(column)
    val dictionary = if (isAllDictionary) dictionaryOf(rowGroup, descriptor) else None
    dictionary match {
      case Some(page) => ChunkValues.addDictionary(page, descriptor, sink)
      case None =>
        val isFast =
          PageValues.mayBeAllOf(reader.getRowGroups.get(rowGroup).getColumns.get(column)) &&
            new PageValues(descriptor, sink).addAll(
              pages(rowGroup, descriptor).getPageReader(descriptor))
        if (!isFast) addOneByOne(rowGroup, column, sink)
    }
  }

  private def dictionaryOf(rowGroup: Int, column: ColumnDescriptor): Option[DictionaryPage] = {
    val pages: DictionaryPageReadStore = reader.getDictionaryReader(rowGroup)
    Option(pages.readDictionaryPage(column))
  }

  private def pages(rowGroup: Int, column: ColumnDescriptor): PageReadStore = {
    reader.setRequestedSchema(ChunkValues.only(metadata.getSchema, column.getPath))
    reader.readRowGroup(rowGroup)
  }

  /**
   * Passes all non-null values of a chunk to `sink` in their order, and ends each run of rows.
   *
   * @param rowsOfRun the number of rows of each run; the last run may have fewer
   * @param end receives the number of rows of a run, and whether it holds NULL, after its values
   * @throws java.io.IOException if the values cannot be read
   */
  def addInRuns(rowGroup: Int, column: Int, sink: ValueSink, rowsOfRun: Int)(
      end: (Int, Boolean) => Unit): Unit = {
    var rows = 0
    var hasNull = false
    eachOf(rowGroup, column, sink) { (values, isPresent, add) =>
      if (values.getCurrentRepetitionLevel == 0) {
        if (rows == rowsOfRun) {
          end(rows, hasNull)
          rows = 0
          hasNull = false
        }
        rows += 1
      }
      if (isPresent) add(values) else hasNull = true
    }
    if (rows > 0) end(rows, hasNull)
  }

  /**
   * Passes the values that parquet-mr's ColumnReader returns, which reads pages of all encodings.
   */
  private[values] def addOneByOne(rowGroup: Int, column: Int, sink: ValueSink): Unit =
    eachOf(rowGroup, column, sink)((values, isPresent, add) => if (isPresent) add(values))

  /**
   * Calls `use` for each value or NULL of a chunk: with the reader, whether it is at a value, and a
   * function that passes the value on.
   */
  private def eachOf(rowGroup: Int, column: Int, sink: ValueSink)(
      use: (ColumnReader, Boolean, ColumnReader => Unit) => Unit): Unit = {
    val descriptor = columns.get(column)
    val chunk = pages(rowGroup, descriptor)
    val schema = ChunkValues.only(metadata.getSchema, descriptor.getPath)
    val converter = new DummyRecordConverter(schema).getRootConverter
    val values = new ColumnReadStoreImpl(chunk, converter, schema, metadata.getCreatedBy)
      .getColumnReader(descriptor)
    val add = ChunkValues.adder(descriptor, sink)
    val present = descriptor.getMaxDefinitionLevel
    var left = chunk.getPageReader(descriptor).getTotalValueCount
    while (left > 0) {
      use(values, values.getCurrentDefinitionLevel == present, add)
      values.consume()
      left -= 1
    }
  }
}

private[values] object ChunkValues {

  private def adder(column: ColumnDescriptor, sink: ValueSink): ColumnReader => Unit =
    column.getPrimitiveType.getPrimitiveTypeName match {
      case INT32 => values => sink.addInt(values.getInteger)
      case INT64 => values => sink.addLong(values.getLong)
      case FLOAT => values => sink.addFloat(values.getFloat)
      case DOUBLE => values => sink.addDouble(values.getDouble)
      case _ => values => sink.addBytes(values.getBinary)
    }

  /** Passes each value of a dictionary to `sink` once. */
  def addDictionary(page: DictionaryPage, column: ColumnDescriptor, sink: ValueSink): Unit = {
    val dictionary = page.getEncoding.initDictionary(column, page)
    val add: Int => Unit = column.getPrimitiveType.getPrimitiveTypeName match {
      case INT32 => id => sink.addInt(dictionary.decodeToInt(id))
      case INT64 => id => sink.addLong(dictionary.decodeToLong(id))
      case FLOAT => id => sink.addFloat(dictionary.decodeToFloat(id))
      case DOUBLE => id => sink.addDouble(dictionary.decodeToDouble(id))
      case _ => id => sink.addBytes(dictionary.decodeToBinary(id))
    }
    var id = 0
    while (id <= dictionary.getMaxId) {
      add(id)
      id += 1
    }
  }

  /** Returns the schema with only the leaf at `path`. */
  private def only(schema: MessageType, path: Array[String]): MessageType =
    new MessageType(schema.getName, branch(schema, path, 0))

  private def branch(group: GroupType, path: Array[String], depth: Int): Type = {
    val field = group.getType(path(depth))
    if (field.isPrimitive) field
    else field.asGroupType.withNewFields(branch(field.asGroupType, path, depth + 1))
  }
}
