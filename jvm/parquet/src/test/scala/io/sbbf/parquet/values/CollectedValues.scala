package io.sbbf.parquet.values

import scala.collection.mutable.ArrayBuffer

import org.apache.parquet.io.api.Binary

/** Collects the values that it receives; byte arrays as sequences of bytes. */
private[parquet] final class CollectedValues extends ValueSink {
  val values = ArrayBuffer.empty[Any]

  override def addInt(value: Int): Unit = values += value
  override def addLong(value: Long): Unit = values += value
  override def addBytes(value: Binary): Unit = values += value.getBytes.toSeq
}
