package io.sbbf.parquet.values

import java.io.OutputStream

import org.apache.parquet.io.api.Binary

import io.sbbf.core.kernel.Kernels

/**
 * Hashes the values of one column in batches. Not thread-safe.
 *
 * It hashes the PLAIN encoding of a value (BloomFilter.md of parquet-format): the 4 bytes of an
 * INT32 or FLOAT, the 8 bytes of an INT64 or DOUBLE, and the bytes of a byte array without their
 * length.
 */
private[parquet] sealed abstract class ValueHasher(sink: HashSink) extends ValueSink {
  import ValueHasher._

  private val hashes = new Array[Long](Batch)
  protected var waiting = 0

  override def addInt(value: Int): Unit = refuse(value)
  override def addLong(value: Long): Unit = refuse(value)
  override def addBytes(value: Binary): Unit = refuse(value)

  /**
   * Hashes a value and the values that Spark considers equal to it, because parquet-mr probes a
   * filter only for the literal of the query. For a zero it hashes both zeros. For each NaN it
   * also hashes Java's canonical NaN.
   */
  override final def addFloat(value: Float): Unit =
    if (value == 0) {
      super.addFloat(0f)
      super.addFloat(-0f)
    } else {
      super.addFloat(value)
      if (value.isNaN) super.addFloat(Float.NaN)
    }

  /** Hashes a value in the same way as [[addFloat]]. */
  override final def addDouble(value: Double): Unit =
    if (value == 0) {
      super.addDouble(0d)
      super.addDouble(-0d)
    } else {
      super.addDouble(value)
      if (value.isNaN) super.addDouble(Double.NaN)
    }

  /** Hashes the values of an incomplete batch and passes their hashes on. */
  final def flush(): Unit = {
    hash(hashes)
    sink.add(hashes, waiting)
    waiting = 0
  }

  protected def hash(hashes: Array[Long]): Unit

  /** Counts a value of the current batch. */
  protected final def added(): Unit = {
    waiting += 1
    if (waiting == Batch) flush()
  }

  private def refuse(value: Any): Nothing =
    throw new IllegalArgumentException(
      s"the column's type does not allow values of type ${value.getClass.getSimpleName}")
}

private[parquet] object ValueHasher {

  /** The number of values in a batch. They and their hashes stay in the CPU's nearest cache. */
  private final val Batch = 1024

  /** The size of the buffer for the byte arrays of a batch. It grows for a longer byte array. */
  private final val BatchBytes = 64 * 1024

  /** The largest buffer that is kept for the next batch. */
  private final val MostKeptBytes = 1 << 20

  def of(kind: ValueKind, sink: HashSink): ValueHasher = kind match {
    case ValueKind.Ints => new OfInts(sink)
    case ValueKind.Longs => new OfLongs(sink)
    case ValueKind.Bytes => new OfBytes(sink)
  }

  private final class OfInts(sink: HashSink) extends ValueHasher(sink) {
    private val values = new Array[Int](Batch)

    override def addInt(value: Int): Unit = {
      values(waiting) = value
      added()
    }

    override protected def hash(hashes: Array[Long]): Unit =
      Kernels.hashInts(values, 0, waiting, hashes, 0)
  }

  private final class OfLongs(sink: HashSink) extends ValueHasher(sink) {
    private val values = new Array[Long](Batch)

    override def addLong(value: Long): Unit = {
      values(waiting) = value
      added()
    }

    override protected def hash(hashes: Array[Long]): Unit =
      Kernels.hashLongs(values, 0, waiting, hashes, 0)
  }

  private final class OfBytes(sink: HashSink) extends ValueHasher(sink) {
    private var bytes = new Array[Byte](BatchBytes)
    private val offsets = new Array[Int](Batch + 1)

    override def addBytes(value: Binary): Unit = {
      val length = value.length
      if (length > bytes.length - offsets(waiting)) ensureCapacity(length)
      offsets(waiting + 1) = offsets(waiting)
      value.writeTo(end)
      added()
    }

    /**
     * Writes to the end of the buffer. A value that is backed by an array is copied once, and
     * nothing is allocated.
     */
    private val end = new OutputStream {
      override def write(value: Array[Byte], from: Int, length: Int): Unit = {
        System.arraycopy(value, from, bytes, offsets(waiting + 1), length)
        offsets(waiting + 1) += length
      }

      override def write(value: Int): Unit = write(Array(value.toByte), 0, 1)
    }

    private def ensureCapacity(length: Int): Unit = {
      flush()
      if (length > bytes.length) bytes = new Array[Byte](length)
    }

    override protected def hash(hashes: Array[Long]): Unit = {
      Kernels.hashBytes(bytes, offsets, 0, waiting, hashes, 0)
      if (bytes.length > MostKeptBytes) bytes = new Array[Byte](BatchBytes)
    }
  }
}

/** Receives hashes in batches. */
private[parquet] trait HashSink {

  /** Receives the hashes before position `until`. The caller owns the array and reuses it. */
  def add(hashes: Array[Long], until: Int): Unit
}
