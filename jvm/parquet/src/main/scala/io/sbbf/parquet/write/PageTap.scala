package io.sbbf.parquet.write

import java.lang.reflect.{Field, InvocationHandler, InvocationTargetException, Method, Proxy}

import scala.util.control.NonFatal

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.page.{
  DataPage,
  DataPageV1,
  DataPageV2,
  DictionaryPage,
  PageWriter
}
import org.apache.parquet.column.{ColumnWriter, Encoding}
import org.apache.parquet.io.api.RecordConsumer

import io.sbbf.parquet.values.PageValues

/**
 * Hands on the values of the pages of a column chunk that is written, before they are compressed: those of its
 * dictionary are hashed once, however often they come, and the others without a call for each through parquet-mr.
 *
 * Its methods by their names, as parquet-mr has given them more arguments with nearly each release from 1.13 to 1.17,
 * in places that leave those that are asked for here where they were. The field with the writer is final, which Java
 * 26 warns of: where it cannot be changed [[watch]] says so, and values are taken record by record.
 *
 * @param onTrouble is told why values of a page could not be handed on, which is written all the same
 */
private[write] final class PageTap(
    stock: PageWriter,
    values: PageValues,
    onTrouble: Exception => Unit)
    extends InvocationHandler {

  override def invoke(proxy: Any, method: Method, arguments: Array[AnyRef]): AnyRef = {
    val handedOn =
      if (method.getName.startsWith("write")) arguments.map(PageTap.toReadTwice)
      else arguments
    try look(method.getName, handedOn)
    catch { case NonFatal(e: Exception) => onTrouble(e) }
    try method.invoke(stock, handedOn: _*)
    catch { case e: InvocationTargetException => throw e.getCause }
  }

  private def look(method: String, arguments: Array[AnyRef]): Unit = method match {
    case "writePage" => values.add(PageTap.version1(arguments))
    case "writePageV2" => values.add(PageTap.version2(arguments))
    case "writeDictionaryPage" => values.add(arguments(0).asInstanceOf[DictionaryPage])
    case _ =>
  }
}

private[write] object PageTap {

  /**
   * From now on the values of the wanted columns of the row group that `consumer` writes are handed on. False where
   * parquet-mr does not have its writers in fields of these names, as it has from 1.13 to 1.17, or `consumer` is
   * wrapped in another one, as with `parquet.validation`; some columns may be watched then.
   *
   * @param wanted by the numbers of the columns
   */
  def watch(
      consumer: RecordConsumer,
      wanted: Map[Int, PageValues],
      onTrouble: Exception => Unit): Boolean =
    try {
      val writers =
        field(consumer.getClass, "columnWriters").get(consumer).asInstanceOf[Array[ColumnWriter]]
      wanted.foreach { case (column, values) =>
        val pages = field(writers(column).getClass.getSuperclass, "pageWriter")
        val stock = pages.get(writers(column)).asInstanceOf[PageWriter]
        pages.set(writers(column), proxy(new PageTap(stock, values, onTrouble)))
      }
      true
    } catch { case NonFatal(_) => false }

  private def field(in: Class[_], name: String): Field = {
    val found = in.getDeclaredField(name)
    found.setAccessible(true)
    found
  }

  private def proxy(handler: InvocationHandler): AnyRef = {
    val writer = classOf[PageWriter]
    Proxy.newProxyInstance(writer.getClassLoader, Array[Class[_]](writer), handler)
  }

  /** Bytes may come from where they can be read only once. */
  private def toReadTwice(argument: AnyRef): AnyRef = argument match {
    case bytes: BytesInput => together(bytes)
    case dictionary: DictionaryPage => dictionary.copy()
    case other => other
  }

  /** All of them in one place, copied only if they are not. */
  private def together(bytes: BytesInput): BytesInput = {
    val stream = bytes.toInputStream
    BytesInput.from(stream.slice(stream.available))
  }

  /** Bytes, number of values, ..., encodings of repetition levels, definition levels and values. */
  private def version1(arguments: Array[AnyRef]): DataPage = {
    val bytes = arguments(0).asInstanceOf[BytesInput]
    val encodings = arguments.takeRight(3).map(_.asInstanceOf[Encoding])
    new DataPageV1(
      bytes,
      arguments(1).asInstanceOf[Int],
      bytes.size.toInt,
      null, // statistics
      encodings(0),
      encodings(1),
      encodings(2))
  }

  /** Numbers of rows, nulls and values, repetition levels, definition levels, encoding, bytes, ... */
  private def version2(arguments: Array[AnyRef]): DataPage =
    DataPageV2.uncompressed(
      arguments(0).asInstanceOf[Int],
      arguments(1).asInstanceOf[Int],
      arguments(2).asInstanceOf[Int],
      arguments(3).asInstanceOf[BytesInput],
      arguments(4).asInstanceOf[BytesInput],
      arguments(5).asInstanceOf[Encoding],
      arguments(6).asInstanceOf[BytesInput],
      null // statistics
    )
}
