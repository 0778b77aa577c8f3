package io.sbbf.parquet.values

import java.io.OutputStream

import org.apache.parquet.io.api.Binary

import io.sbbf.core.kernel.Kernels

/**
 * Hashes the values of one column in batches, as Parquet's PLAIN encoding has them (BloomFilter.md
 * of parquet-format): 4 bytes of an INT32 or FLOAT, 8 of an INT64 or DOUBLE, and of byte arrays
 * their bytes, without a length. Not thread-safe.
 */
private[parquet] sealed abstract class ValueHasher(sink: HashSink) extends ValueSink {
  import ValueHasher._

  private val hashes = new Array[Long](Batch)
  protected var waiting = 0

  override def addInt(value: Int): Unit = refuse(value)
  override def addLong(value: Long): Unit = refuse(value)
  override def addBytes(value: Binary): Unit = refuse(value)

  /**
   * With what Spark takes for equal, as parquet-mr asks a filter for the one that a query names: of the two zeros
   * both, and of each of the many NaNs the one that Java has for all of them.
   */
  override final def addFloat(value: Float): Unit =
    if (value == 0) {
      super.addFloat(0f)
      super.addFloat(-0f)
    } else {
      super.addFloat(value)
      if (value.isNaN) super.addFloat(Float.NaN)
    }

  /** As [[addFloat]]. */
  override final def addDouble(value: Double): Unit =
    if (value == 0) {
      super.addDouble(0d)
      super.addDouble(-0d)
    } else {
      super.addDouble(value)
      if (value.isNaN) super.addDouble(Double.NaN)
    }

  /** Hands on what waits for its batch to be full. */
  final def flush(): Unit = {
    hash(hashes)
    sink.add(hashes, waiting)
    waiting = 0
  }

  protected def hash(hashes: Array[Long]): Unit

  /** One more value waits. */
  protected final def added(): Unit = {
    waiting += 1
    if (waiting == Batch) flush()
  }

  private def refuse(value: Any): Nothing =
    throw new IllegalArgumentException(
      s"a ${value.getClass.getSimpleName} in a column of another type")
}

private[parquet] object ValueHasher {

  /** Values hashed at once: they and their hashes stay in the nearest cache. */
  private final val Batch = 1024

  /** Larger byte arrays than all of a batch's are hashed on their own. */
  private final val BatchBytes = 64 * 1024

  /** What a column keeps for byte arrays that come, however large one was. */
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
      if (length > bytes.length - offsets(waiting)) makeRoom(length)
      offsets(waiting + 1) = offsets(waiting)
      value.writeTo(end)
      added()
    }

    /** Behind the bytes that wait: of a value that is backed by an array they are copied once, and nothing is allocated. */
    private val end = new OutputStream {
      override def write(value: Array[Byte], from: Int, length: Int): Unit = {
        System.arraycopy(value, from, bytes, offsets(waiting + 1), length)
        offsets(waiting + 1) += length
      }

      override def write(value: Int): Unit = write(Array(value.toByte), 0, 1)
    }

    private def makeRoom(length: Int): Unit = {
      flush()
      if (length > bytes.length) bytes = new Array[Byte](length)
    }

    override protected def hash(hashes: Array[Long]): Unit = {
      Kernels.hashBytes(bytes, offsets, 0, waiting, hashes, 0)
      if (bytes.length > MostKeptBytes) bytes = new Array[Byte](BatchBytes)
    }
  }
}
