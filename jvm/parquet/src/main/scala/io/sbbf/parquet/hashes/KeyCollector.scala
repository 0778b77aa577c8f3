package io.sbbf.parquet.hashes

import java.math.BigInteger
import java.util.Arrays

import org.apache.parquet.io.api.Binary

import io.sbbf.core.predicate.KeyFunction
import io.sbbf.parquet.values.{KeySink, KeyType, ValueHasher, ValueKind, ValueSink}

/**
 * Collects the hashes of the values of a column that no Parquet file holds, or of the keys of a
 * function of them. Not thread-safe.
 *
 * @param function a function of texts; None for the values
 */
private[sbbf] final class KeyCollector(keyType: KeyType, function: Option[KeyFunction]) {
  private val distinct = new SortedHashes
  private val hasher = ValueHasher.of(keyType.kind, distinct)
  private val values = function.fold[ValueSink](hasher)(new KeySink(_, hasher))

  /** Adds a value of [[KeyType.Integer]] with at most 32 bits, or [[KeyType.Date]]. */
  def add(value: Int): Unit = values.addInt(value)

  /** Adds a value of [[KeyType.Integer]] with 64 bits, or [[KeyType.Timestamp]]. */
  def add(value: Long): Unit = values.addLong(value)

  /** Adds a value of [[KeyType.Text]], in UTF-8, or [[KeyType.Binary]]. */
  def add(value: Array[Byte]): Unit = values.addBytes(Binary.fromReusedByteArray(value))

  /** Adds the unscaled value of a [[KeyType.Decimal]]. Throws ArithmeticException if it is too large. */
  def add(unscaled: BigInteger): Unit = keyType.kind match {
    case ValueKind.Ints => add(unscaled.intValueExact)
    case ValueKind.Longs => add(unscaled.longValueExact)
    case ValueKind.Bytes => add(widened(unscaled.toByteArray))
  }

  /** Returns the distinct hashes since the last call in ascending order. */
  def result(): Array[Long] = {
    hasher.flush()
    distinct.result()
  }

  private def widened(bytes: Array[Byte]): Array[Byte] = keyType match {
    case decimal: KeyType.Decimal =>
      if (bytes.length > decimal.width) throw new ArithmeticException("too many digits")
      val wide = new Array[Byte](decimal.width)
      if (bytes(0) < 0) Arrays.fill(wide, (-1).toByte)
      System.arraycopy(bytes, 0, wide, wide.length - bytes.length, bytes.length)
      wide
    case _ => bytes
  }
}
