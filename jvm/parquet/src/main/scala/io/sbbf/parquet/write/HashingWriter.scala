package io.sbbf.parquet
package write

import scala.util.control.NonFatal

import org.apache.parquet.column.ColumnWriter
import org.apache.parquet.io.api.{Binary, RecordConsumer}

import io.sbbf.parquet.values.ValueSink

/** Writes a column of a row group, and hands on its values but nulls. */
private[write] final class HashingWriter(stock: ColumnWriter, values: ValueSink)
    extends ColumnWriter {
  override def write(value: Int, repetition: Int, definition: Int): Unit = {
    values.addInt(value)
    stock.write(value, repetition, definition)
  }

  override def write(value: Long, repetition: Int, definition: Int): Unit = {
    values.addLong(value)
    stock.write(value, repetition, definition)
  }

  override def write(value: Float, repetition: Int, definition: Int): Unit = {
    values.addFloat(value)
    stock.write(value, repetition, definition)
  }

  override def write(value: Double, repetition: Int, definition: Int): Unit = {
    values.addDouble(value)
    stock.write(value, repetition, definition)
  }

  override def write(value: Binary, repetition: Int, definition: Int): Unit = {
    values.addBytes(value)
    stock.write(value, repetition, definition)
  }

  override def write(value: Boolean, repetition: Int, definition: Int): Unit =
    stock.write(value, repetition, definition)

  override def writeNull(repetition: Int, definition: Int): Unit =
    stock.writeNull(repetition, definition)

  override def close(): Unit = stock.close()
  override def getBufferedSizeInMemory: Long = stock.getBufferedSizeInMemory
}

private[write] object HashingWriter {

  /**
   * The writers that parquet-mr's consumer of records hands values to, by the number of the column, to be changed in
   * place: so the columns that nobody asks for are written as without. It has them in a field of this name from 1.13
   * to 1.17; `None` where it has not, or is wrapped in another one, as with `parquet.validation`.
   */
  def writersOf(consumer: RecordConsumer): Option[Array[ColumnWriter]] =
    try {
      val field = consumer.getClass.getDeclaredField("columnWriters")
      field.setAccessible(true)
      Some(field.get(consumer).asInstanceOf[Array[ColumnWriter]])
    } catch { case NonFatal(_) => None }
}
