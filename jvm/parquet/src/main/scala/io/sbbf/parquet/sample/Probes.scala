package io.sbbf.parquet
package sample

import java.nio.{ByteBuffer, ByteOrder}

import scala.collection.mutable.ArrayBuffer

import org.apache.parquet.io.api.Binary

import io.sbbf.parquet.footer.{Bounds, ColumnType, KeyKind}
import io.sbbf.parquet.literal.{BytesKeys, LongKeys, SortKeys}
import io.sbbf.parquet.write.ValueSink

/**
 * Hands values on and keeps some of them, evenly from all that pass, however many these are. Not
 * thread-safe.
 */
private[sample] final class Probes(next: ValueSink) extends ValueSink {
  import Probes._

  private val kept = ArrayBuffer.empty[Array[Byte]]
  private var seen = 0L
  private var step = 1L

  override def addInt(value: Int): Unit = {
    if (isWanted) keep(little(4).putInt(value).array)
    next.addInt(value)
  }

  override def addLong(value: Long): Unit = {
    if (isWanted) keep(little(8).putLong(value).array)
    next.addLong(value)
  }

  override def addBytes(value: Binary): Unit = {
    if (isWanted) keep(value.getBytes)
    next.addBytes(value)
  }

  /** In PLAIN encoding, without a length. */
  def result: Seq[Array[Byte]] = kept.toVector

  private def isWanted: Boolean = {
    seen += 1
    (seen - 1) % step == 0
  }

  private def keep(plain: Array[Byte]): Unit = {
    if (kept.size == 2 * Fewest) {
      val half = kept.indices.by(2).map(kept(_))
      kept.clear()
      kept ++= half
      step *= 2
    }
    kept += plain
  }
}

private[sample] object Probes {

  /** Values kept of a chunk that has as many; it may be twice as many. */
  private final val Fewest = 8

  /**
   * How many of the values lie within the bounds of the chunk, or may do so.
   *
   * @param plain the values, in PLAIN encoding
   */
  def within(plain: Seq[Array[Byte]], kind: ColumnType, bounds: Bounds, chunk: Int): Int =
    if (!bounds.isKnown(chunk)) plain.size
    else
      keys(plain, kind).fold(plain.size)(k =>
        k.aboveMax(bounds, chunk) - k.fromMin(bounds, chunk))

  /** None where the type has no order, or the values are of another one. */
  private def keys(plain: Seq[Array[Byte]], kind: ColumnType): Option[SortKeys] = {
    val fits = kind.width < 0 || plain.forall(_.length == kind.width)
    kind.keys match {
      case KeyKind.Longs if fits =>
        Some(new LongKeys(plain.map(kind.longKey(_, 0)).sorted.toArray))
      case KeyKind.Bytes if fits =>
        Some(new BytesKeys(plain.map(kind.bytesKey).sortWith(Bounds.compare(_, _) < 0).toArray))
      case _ => None
    }
  }

  private def little(bytes: Int): ByteBuffer =
    ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN)
}
