package io.sbbf.parquet.values

import org.apache.parquet.io.api.Binary

import io.sbbf.core.predicate.KeyFunction

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
