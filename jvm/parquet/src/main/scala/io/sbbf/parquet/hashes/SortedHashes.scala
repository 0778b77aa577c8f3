package io.sbbf.parquet.hashes

import java.util.Arrays

import io.sbbf.parquet.values.HashSink

/**
 * Collects the distinct hashes of one column chunk. Not thread-safe. It takes at most 32 bytes for
 * each distinct hash.
 */
private[hashes] final class SortedHashes extends HashSink {
  private var kept = new Array[Long](SortedHashes.Smallest)
  private var size = 0

  override def add(hashes: Array[Long], until: Int): Unit = {
    if (size + until > kept.length) {
      compact()
      // a buffer that is still half full would be sorted too often
      if (size + until > kept.length / 2)
        kept = Arrays.copyOf(kept, math.max(2 * kept.length, size + until))
    }
    System.arraycopy(hashes, 0, kept, size, until)
    size += until
  }

  /** Returns the distinct hashes since the last call in ascending order. */
  def result(): Array[Long] = {
    compact()
    val found = Arrays.copyOf(kept, size)
    size = 0
    found
  }

  private def compact(): Unit = {
    Arrays.sort(kept, 0, size)
    var until = 0
    var i = 0
    while (i < size) {
      if (i == 0 || kept(i) != kept(i - 1)) {
        kept(until) = kept(i)
        until += 1
      }
      i += 1
    }
    size = until
  }
}

private[hashes] object SortedHashes {
  private final val Smallest = 1 << 14
}
