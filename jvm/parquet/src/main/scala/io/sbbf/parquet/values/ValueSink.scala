package io.sbbf.parquet.values

import org.apache.parquet.io.api.Binary

import io.sbbf.core.predicate.KeyFunction

/** Receives the values of one column, each by the method of its physical type. */
private[parquet] trait ValueSink {
  def addInt(value: Int): Unit
  def addLong(value: Long): Unit
  def addBytes(value: Binary): Unit

  def addFloat(value: Float): Unit = addInt(java.lang.Float.floatToRawIntBits(value))
  def addDouble(value: Double): Unit = addLong(java.lang.Double.doubleToRawLongBits(value))
}

/** Passes the keys of texts to `keys`. Not thread-safe. */
private[parquet] final class KeySink(function: KeyFunction, keys: ValueSink)
    extends ValueSink
    with KeyFunction.Sink {

  override def addBytes(value: Binary): Unit = function.addKeys(value.getBytesUnsafe, this)

  override def add(bytes: Array[Byte], from: Int, length: Int): Unit =
    keys.addBytes(Binary.fromReusedByteArray(bytes, from, length))

  override def addInt(value: Int): Unit = refuse()
  override def addLong(value: Long): Unit = refuse()

  private def refuse(): Nothing = throw new IllegalArgumentException("not a text")
}
