package io.sbbf.parquet
package write

import org.apache.parquet.io.api.Binary

import io.sbbf.core.kernel.Kernels

/**
 * The bloom filters of one column, row group after row group, from the values that pass. They are
 * hashed in batches, as Parquet's PLAIN encoding has them (BloomFilter.md of parquet-format): 4
 * bytes of an INT32 or FLOAT, 8 of an INT64 or DOUBLE, and of byte arrays their bytes, without a
 * length. Not thread-safe.
 */
private[parquet] sealed abstract class FilterBuilder(request: FilterRequest) {
  import FilterBuilder._

  private val distinct = new DistinctHashes(request.fpp, request.largestBytes)
  private val hashes = new Array[Long](Batch)
  protected var waiting = 0

  def addInt(value: Int): Unit = refuse(value)
  def addLong(value: Long): Unit = refuse(value)
  def addBytes(value: Binary): Unit = refuse(value)

  final def addFloat(value: Float): Unit = addInt(java.lang.Float.floatToRawIntBits(value))
  final def addDouble(value: Double): Unit = addLong(java.lang.Double.doubleToRawLongBits(value))

  /** The filter of the values since the last time, `None` if there were too few; starts anew. */
  final def result(): Option[Array[Byte]] = {
    flush()
    distinct.result(request.fewest)
  }

  protected def hash(hashes: Array[Long]): Unit

  /** One more value waits. */
  protected final def added(): Unit = {
    waiting += 1
    if (waiting == Batch) flush()
  }

  protected final def flush(): Unit = {
    hash(hashes)
    distinct.add(hashes, waiting)
    waiting = 0
  }

  private def refuse(value: Any): Nothing =
    throw new IllegalArgumentException(
      s"a ${value.getClass.getSimpleName} in a column of another type")
}

private[parquet] object FilterBuilder {

  /** Values hashed at once: they and their hashes stay in the nearest cache. */
  private final val Batch = 1024

  /** Larger byte arrays than all of a batch's are hashed on their own. */
  private final val BatchBytes = 64 * 1024

  def of(request: FilterRequest): FilterBuilder = request.kind match {
    case FilterRequest.Ints => new OfInts(request)
    case FilterRequest.Longs => new OfLongs(request)
    case FilterRequest.Bytes => new OfBytes(request)
  }

  private final class OfInts(request: FilterRequest) extends FilterBuilder(request) {
    private val values = new Array[Int](Batch)

    override def addInt(value: Int): Unit = {
      values(waiting) = value
      added()
    }

    override protected def hash(hashes: Array[Long]): Unit =
      Kernels.hashInts(values, 0, waiting, hashes, 0)
  }

  private final class OfLongs(request: FilterRequest) extends FilterBuilder(request) {
    private val values = new Array[Long](Batch)

    override def addLong(value: Long): Unit = {
      values(waiting) = value
      added()
    }

    override protected def hash(hashes: Array[Long]): Unit =
      Kernels.hashLongs(values, 0, waiting, hashes, 0)
  }

  private final class OfBytes(request: FilterRequest) extends FilterBuilder(request) {
    private var bytes = new Array[Byte](BatchBytes)
    private val offsets = new Array[Int](Batch + 1)

    override def addBytes(value: Binary): Unit = {
      val length = value.length
      if (length > bytes.length - offsets(waiting)) makeRoom(length)
      val start = offsets(waiting)
      value.toByteBuffer.duplicate().get(bytes, start, length)
      offsets(waiting + 1) = start + length
      added()
    }

    private def makeRoom(length: Int): Unit = {
      flush()
      if (length > bytes.length) bytes = new Array[Byte](length)
    }

    override protected def hash(hashes: Array[Long]): Unit =
      Kernels.hashBytes(bytes, offsets, 0, waiting, hashes, 0)
  }
}
