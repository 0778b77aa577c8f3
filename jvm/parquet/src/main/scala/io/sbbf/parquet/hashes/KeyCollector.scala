package io.sbbf.parquet.hashes

import java.math.BigInteger
import java.util.Arrays

import org.apache.parquet.io.api.Binary

import io.sbbf.core.predicate.KeyFunction
import io.sbbf.parquet.model.{ColumnType, Physical}
import io.sbbf.parquet.values.{KeySink, ValueHasher, ValueKind, ValueSink}

/**
 * Collects the hashes of the values of a column that no Parquet file holds, or of the keys of a
 * function of them. Not thread-safe.
 *
 * @param columnType the type in which Spark would write the values: they are hashed as if it had
 * @param function a function of texts; None for the values
 */
private[sbbf] final class KeyCollector(columnType: ColumnType, function: Option[KeyFunction]) {
  private val distinct = new SortedHashes
  private val hasher = ValueHasher.of(ValueKind.of(columnType.physical), distinct)
  private val values = function.fold[ValueSink](hasher)(new KeySink(_, hasher))

  /** Adds an integer of at most 32 bits, or the days of a date since 1970. */
  def add(value: Int): Unit = values.addInt(value)

  /** Adds an integer of 64 bits, or the microseconds of a timestamp since 1970. */
  def add(value: Long): Unit = values.addLong(value)

  /** Adds a text, in UTF-8, or bytes. */
  def add(value: Array[Byte]): Unit = values.addBytes(Binary.fromReusedByteArray(value))

  /** Adds the unscaled value of a decimal. Throws ArithmeticException if it is too large. */
  def add(unscaled: BigInteger): Unit = columnType.physical match {
    case Physical.Int32 => add(unscaled.intValueExact)
    case Physical.Int64 => add(unscaled.longValueExact)
    case _ => add(widened(unscaled.toByteArray))
  }

  /** Returns the distinct hashes since the last call in ascending order. */
  def result(): Array[Long] = {
    hasher.flush()
    distinct.result()
  }

  private def widened(bytes: Array[Byte]): Array[Byte] = {
    if (bytes.length > columnType.width) throw new ArithmeticException("too many digits")
    val wide = new Array[Byte](columnType.width)
    if (bytes(0) < 0) Arrays.fill(wide, (-1).toByte)
    System.arraycopy(bytes, 0, wide, wide.length - bytes.length, bytes.length)
    wide
  }
}
