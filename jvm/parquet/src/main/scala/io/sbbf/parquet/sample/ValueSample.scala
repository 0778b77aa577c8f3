package io.sbbf.parquet.sample

import java.nio.{ByteBuffer, ByteOrder}
import java.util.{Arrays, SplittableRandom}

import org.apache.parquet.io.api.Binary

import io.sbbf.parquet.values.ValueSink

/**
 * Passes values to `next` and keeps a random sample of them, in which each value has the same
 * probability (Vitter, "Random Sampling with a Reservoir", 1985, algorithm R). Not thread-safe.
 */
private[sample] final class ValueSample(next: ValueSink) extends ValueSink {
  import ValueSample._

  private val kept = new Array[Array[Byte]](Size)
  private val random = new SplittableRandom(0)
  private var seen = 0L

  override def addInt(value: Int): Unit = {
    val place = nextPlace()
    if (place < Size) kept(place) = little(4).putInt(value).array
    next.addInt(value)
  }

  override def addLong(value: Long): Unit = {
    val place = nextPlace()
    if (place < Size) kept(place) = little(8).putLong(value).array
    next.addLong(value)
  }

  override def addBytes(value: Binary): Unit = {
    val place = nextPlace()
    if (place < Size)
      kept(place) = Arrays.copyOf(value.getBytes, math.min(value.length, MostBytes))
    next.addBytes(value)
  }

  /** Returns the kept values in PLAIN encoding, without a length. Long byte arrays are cut. */
  def result: Seq[Array[Byte]] = kept.take(math.min(seen, Size.toLong).toInt).toVector

  /** Returns the place of the next value in the sample. [[Size]] means that it is not kept. */
  private def nextPlace(): Int = {
    val place = if (seen < Size) seen else random.nextLong(seen + 1)
    seen += 1
    math.min(place, Size.toLong).toInt
  }
}

private[sample] object ValueSample {

  /** The number of kept values, if there are as many. */
  final val Size = 16

  /**
   * The most bytes kept of a value. Bounds are no longer ([[io.sbbf.parquet.statistics.Bounds]]).
   */
  private final val MostBytes = 65

  private def little(bytes: Int): ByteBuffer =
    ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN)
}
