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
 * Passes the values of a column chunk's pages to `values` before they are compressed, and the
 * pages to `parquetMr`. So each value of a dictionary is hashed only once, and the other values
 * need no call through parquet-mr for each.
 *
 * It handles methods by their names, because nearly each release of parquet-mr from 1.13 to 1.17
 * added arguments. The positions of the arguments used here are the same in all of them.
 *
 * The field with the writer is final, and Java 26 warns of changes to final fields. If the field
 * cannot be changed, [[PageTap.watch]] returns false, and the caller takes the values record by
 * record.
 *
 * @param onError receives the reason why the values of a page could not be passed. The page is
 *   written nevertheless.
 */
private[write] final class PageTap(
    parquetMr: PageWriter,
    values: PageValues,
    onError: Exception => Unit)
    extends InvocationHandler {

  override def invoke(proxy: Any, method: Method, arguments: Array[AnyRef]): AnyRef = {
    val readable =
      if (method.getName.startsWith("write")) arguments.map(PageTap.toReadTwice)
      else arguments
    try tap(method.getName, readable)
    catch { case NonFatal(e: Exception) => onError(e) }
    try method.invoke(parquetMr, readable: _*)
    catch { case e: InvocationTargetException => throw e.getCause }
  }

  private def tap(method: String, arguments: Array[AnyRef]): Unit = method match {
    case "writePage" => values.add(PageTap.version1(arguments))
    case "writePageV2" => values.add(PageTap.version2(arguments))
    case "writeDictionaryPage" => values.add(arguments(0).asInstanceOf[DictionaryPage])
    case _ =>
  }
}

private[write] object PageTap {

  /**
   * Starts to pass on the values of the wanted columns of the row group that `consumer` writes.
   *
   * @param wanted the receivers of values, by the numbers of their columns
   * @return false if parquet-mr lacks the fields that hold its writers from 1.13 to 1.17, or if
   *   `consumer` is wrapped in another consumer, as `parquet.validation` does. Some columns may
   *   be watched then.
   */
  def watch(
      consumer: RecordConsumer,
      wanted: Map[Int, PageValues],
      onError: Exception => Unit): Boolean =
    try {
      val writers =
        field(consumer.getClass, "columnWriters").get(consumer).asInstanceOf[Array[ColumnWriter]]
      wanted.foreach { case (column, values) =>
        val pages = field(writers(column).getClass.getSuperclass, "pageWriter")
        val parquetMr = pages.get(writers(column)).asInstanceOf[PageWriter]
        pages.set(writers(column), proxy(new PageTap(parquetMr, values, onError)))
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

  /**
   * Returns an argument that can be read twice. The source of its bytes may allow only one read.
   */
  private def toReadTwice(argument: AnyRef): AnyRef = argument match {
    case bytes: BytesInput => together(bytes)
    case dictionary: DictionaryPage => dictionary.copy()
    case other => other
  }

  /** Returns the bytes in one buffer. They are copied only if they are in several. */
  private def together(bytes: BytesInput): BytesInput = {
    val stream = bytes.toInputStream
    BytesInput.from(stream.slice(stream.available))
  }

  /**
   * Returns the page that `writePage` writes. Its arguments are the bytes, the number of values,
   * ..., and the encodings of repetition levels, definition levels and values.
   */
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

  /**
   * Returns the page that `writePageV2` writes. Its arguments are the numbers of rows, nulls and
   * values, the repetition levels, the definition levels, the encoding, the bytes, ...
   */
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
