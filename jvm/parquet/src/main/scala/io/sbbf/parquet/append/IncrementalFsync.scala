package io.sbbf.parquet.append

import java.io.OutputStream
import java.util.concurrent.LinkedBlockingQueue

/**
 * Forces bytes to the disk while more bytes are computed and written. The final wait is then only
 * for the last bytes.
 */
private[parquet] object IncrementalFsync {

  /**
   * Runs `work`, and calls `force` on another thread after each interval.
   *
   * @param out the stream that receives all bytes
   * @param force forces the bytes written so far to the disk; its errors are thrown
   * @param work writes to a stream that passes everything to `out`
   */
  def write(out: OutputStream, force: () => Unit)(work: OutputStream => Unit): Unit = {
    // true if there are bytes to force, false at the end
    val intervals = new LinkedBlockingQueue[Boolean]
    Concurrently.runWithBackground(() => while (intervals.take()) force()) {
      // the intervals that end during a call of force share the next call
      work(new CountingStream(out, () => if (intervals.isEmpty) intervals.put(true)))
      intervals.put(false)
    }
  }

  /** @param onInterval called at the end of each interval */
  private final class CountingStream(out: OutputStream, onInterval: () => Unit)
      extends OutputStream {
    private var written = 0L

    override def write(byte: Int): Unit = {
      out.write(byte)
      count(1)
    }

    override def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
      out.write(bytes, from, length)
      count(length)
    }

    private def count(length: Int): Unit = {
      written += length
      if (written >= Interval) {
        written = 0
        onInterval()
      }
    }
  }

  /**
   * The number of bytes between two calls of `force`: large enough that a call is worth its cost,
   * and small enough that the last call is short.
   */
  final val Interval: Int = 8 << 20
}
