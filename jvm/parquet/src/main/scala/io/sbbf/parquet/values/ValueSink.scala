package io.sbbf.parquet.values

import org.apache.parquet.io.api.Binary

/** Receives the values of one column, each by the method of its physical type. */
private[parquet] trait ValueSink {
  def addInt(value: Int): Unit
  def addLong(value: Long): Unit
  def addBytes(value: Binary): Unit

  def addFloat(value: Float): Unit = addInt(java.lang.Float.floatToRawIntBits(value))
  def addDouble(value: Double): Unit = addLong(java.lang.Double.doubleToRawLongBits(value))
}
