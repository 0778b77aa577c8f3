package io.sbbf.spark.read

import java.io.Closeable

/** Chains iterators and opens each one when its turn comes; `close` closes the open one. */
private[spark] final class ChainedRows(parts: Iterator[() => Iterator[Any]])
    extends Iterator[Any]
    with Closeable {

  private var current: Iterator[Any] = Iterator.empty

  override def hasNext: Boolean = {
    while (!current.hasNext && parts.hasNext) {
      close()
      current = parts.next()()
    }
    current.hasNext
  }

  override def next(): Any = if (hasNext) current.next() else Iterator.empty.next()

  override def close(): Unit = current match {
    case closeable: Closeable => closeable.close()
    case _ =>
  }
}
