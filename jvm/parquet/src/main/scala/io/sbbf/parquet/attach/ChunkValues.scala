package io.sbbf.parquet
package attach

import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.column.page.DictionaryPageReadStore
import org.apache.parquet.column.{ColumnDescriptor, ColumnReader, Dictionary}
import org.apache.parquet.example.DummyRecordConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.{GroupType, MessageType, Type}

import io.sbbf.parquet.write.{ChunkFilter, FilterBuilder}

/**
 * The values of column chunks, as parquet-mr reads them, on their way into filters. Of a row group
 * one column at a time is in memory, compressed.
 */
private[attach] final class ChunkValues(reader: ParquetFileReader) {
  private val metadata = reader.getFileMetaData
  private val columns = metadata.getSchema.getColumns

  /** The filter that is asked for, `None` if the chunk has too few values for one. */
  def filter(plan: ChunkPlan): Option[ChunkFilter] = {
    val builder = FilterBuilder.of(plan.request)
    val column = columns.get(plan.request.column)
    val dictionary = if (plan.isAllDictionary) dictionaryOf(plan.rowGroup, column) else None
    dictionary match {
      case Some(values) => ChunkValues.addDictionary(values, column, builder)
      case None => addValues(plan.rowGroup, column, builder)
    }
    builder.result().map(ChunkFilter(plan.rowGroup, plan.request.column, _))
  }

  private def dictionaryOf(rowGroup: Int, column: ColumnDescriptor): Option[Dictionary] = {
    val pages: DictionaryPageReadStore = reader.getDictionaryReader(rowGroup)
    Option(pages.readDictionaryPage(column)).map(page =>
      page.getEncoding.initDictionary(column, page))
  }

  private def addValues(rowGroup: Int, column: ColumnDescriptor, builder: FilterBuilder): Unit = {
    val schema = ChunkValues.only(metadata.getSchema, column.getPath)
    reader.setRequestedSchema(schema)
    val pages = reader.readRowGroup(rowGroup)
    val converter = new DummyRecordConverter(schema).getRootConverter
    val values = new ColumnReadStoreImpl(pages, converter, schema, metadata.getCreatedBy)
      .getColumnReader(column)
    val add = ChunkValues.adder(column, builder)
    val present = column.getMaxDefinitionLevel
    var left = pages.getPageReader(column).getTotalValueCount
    while (left > 0) {
      if (values.getCurrentDefinitionLevel == present) add(values)
      values.consume()
      left -= 1
    }
  }
}

private object ChunkValues {

  private def adder(column: ColumnDescriptor, builder: FilterBuilder): ColumnReader => Unit =
    column.getPrimitiveType.getPrimitiveTypeName match {
      case INT32 => values => builder.addInt(values.getInteger)
      case INT64 => values => builder.addLong(values.getLong)
      case FLOAT => values => builder.addFloat(values.getFloat)
      case DOUBLE => values => builder.addDouble(values.getDouble)
      case _ => values => builder.addBytes(values.getBinary)
    }

  private def addDictionary(
      dictionary: Dictionary,
      column: ColumnDescriptor,
      builder: FilterBuilder): Unit = {
    val add: Int => Unit = column.getPrimitiveType.getPrimitiveTypeName match {
      case INT32 => id => builder.addInt(dictionary.decodeToInt(id))
      case INT64 => id => builder.addLong(dictionary.decodeToLong(id))
      case FLOAT => id => builder.addFloat(dictionary.decodeToFloat(id))
      case DOUBLE => id => builder.addDouble(dictionary.decodeToDouble(id))
      case _ => id => builder.addBytes(dictionary.decodeToBinary(id))
    }
    var id = 0
    while (id <= dictionary.getMaxId) {
      add(id)
      id += 1
    }
  }

  /** The schema with one of its leaves. */
  private def only(schema: MessageType, path: Array[String]): MessageType =
    new MessageType(schema.getName, branch(schema, path, 0))

  private def branch(group: GroupType, path: Array[String], depth: Int): Type = {
    val field = group.getType(path(depth))
    if (field.isPrimitive) field
    else field.asGroupType.withNewFields(branch(field.asGroupType, path, depth + 1))
  }
}
