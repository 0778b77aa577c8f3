package io.sbbf.parquet.append

import java.io.OutputStream
import java.util.concurrent.LinkedBlockingQueue

/**
 * Bytes that are forced to the disk while more of them come: the disk works while they are made, and who waits for
 * all of them in the end waits for the last ones.
 */
private[parquet] object IncrementalFsync {

  /**
   * @param force sends what has been written to the disk, on a thread of its own; what it throws is thrown
   * @param work writes to a stream that hands everything to `out`
   */
  def write(out: OutputStream, force: () => Unit)(work: OutputStream => Unit): Unit = {
    // whether there is something to force, and at last that there is nothing any more
    val stretches = new LinkedBlockingQueue[Boolean]
    Concurrently.runWithBackground(() => while (stretches.take()) force()) {
      // those that come while one is forced are forced together
      work(new Watched(out, () => if (stretches.isEmpty) stretches.put(true)))
      stretches.put(false)
    }
  }

  /** @param stretch is told of each so many bytes */
  private final class Watched(out: OutputStream, stretch: () => Unit) extends OutputStream {
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
      if (written >= Stretch) {
        written = 0
        stretch()
      }
    }
  }

  /** Enough that each call is worth its while, and little enough that the last one is short. */
  final val Stretch: Int = 8 << 20
}
