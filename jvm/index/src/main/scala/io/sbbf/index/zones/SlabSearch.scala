package io.sbbf.index.zones

import java.nio.{ByteBuffer, ByteOrder}
import java.util.HashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.sbbf.core.bloom.{BitSlices, SplitBlockBloomFilter}
import io.sbbf.index.format.DamagedIndex
import io.sbbf.index.format.StoredZones.{Part, Slab}
import io.sbbf.parquet.input.FileBytes

/**
 * Searches a slab: reads eight slices for each hash. Immutable and thread-safe.
 *
 * @param folder the folder of the segment
 */
private[zones] final class SlabSearch(slab: Slab, folder: Path) {
  import SlabSearch._

  private val numBlocks = slab.filterBytes / SplitBlockBloomFilter.BytesPerBlock
  private val bits = slab.sliceBytes - Slab.ChecksumBytes

  /**
   * Estimates what a search costs, as the bytes that are read: each read costs as much as some
   * bytes more. A search that combines too many bytes costs more than any limit.
   */
  def cost(hashes: Int): Double = {
    val all = slab.parts.map(part => part.blocks.toDouble * part.pageBytes).sum
    if (hashes.toDouble * PerHash * bits > MostCombined) Double.PositiveInfinity
    else math.min(all, hashes.toDouble * PerHash * (slab.sliceBytes + MostGap))
  }

  /**
   * Passes the filters that might hold one of the hashes to `use`.
   *
   * @param count receives the number of slices that were read of a file
   * @throws java.io.IOException if a slice cannot be read or is damaged
   */
  def find(hashes: Array[Long], conf: Configuration, count: (Int, FileBytes) => Unit)(
      use: Int => Unit): Unit = {
    val found = new Array[Byte](bits)
    slab.parts.foreach { part =>
      val within = hashes.filter { hash =>
        val block = BitSlices.blockOf(hash, numBlocks) - part.firstBlock
        block >= 0 && block < part.blocks
      }
      if (within.nonEmpty) {
        val wanted = within.flatMap(slicesOf(_, part)).distinct.sorted
        val slices = read(part, wanted, conf, count)
        within.foreach(hash => addMatches(slicesOf(hash, part).map(slices.get(_)), found))
      }
    }
    var filter = 0
    while (filter < slab.filters) {
      if ((found(filter >> 3) >>> (filter & 7) & 1) != 0) use(filter)
      filter += 1
    }
  }

  /** Returns the numbers of a hash's slices in the part. */
  private def slicesOf(hash: Long, part: Part): Array[Int] = {
    val first =
      (BitSlices.blockOf(hash, numBlocks) - part.firstBlock) * BitSlices.Slices
    BitSlices.positions(hash).map(first + _)
  }

  private def addMatches(slices: Array[Array[Byte]], to: Array[Byte]): Unit = {
    var i = 0
    while (i < bits) {
      var all = slices(0)(i)
      var s = 1
      while (s < slices.length) {
        all = (all & slices(s)(i)).toByte
        s += 1
      }
      to(i) = (to(i) | all).toByte
      i += 1
    }
  }

  /** Reads slices, in ascending order. Those that lie close together are read at once. */
  private def read(
      part: Part,
      wanted: Array[Int],
      conf: Configuration,
      count: (Int, FileBytes) => Unit): HashMap[Int, Array[Byte]] = {
    val path = new Path(folder, part.name)
    val bytes = new FileBytes(path.getFileSystem(conf), path, part.bytes)
    val slices = new HashMap[Int, Array[Byte]]
    try {
      var from = 0
      while (from < wanted.length) {
        val start = address(part, wanted(from))
        var until = from + 1
        while (until < wanted.length && {
            val next = address(part, wanted(until))
            next - address(part, wanted(until - 1)) - slab.sliceBytes <= MostGap &&
            next + slab.sliceBytes - start <= MostAtOnce
          }) until += 1
        val end = address(part, wanted(until - 1)) + slab.sliceBytes
        val run = bytes.read(start, (end - start).toInt)
        (from until until).foreach { n =>
          val at = (address(part, wanted(n)) - start).toInt
          slices.put(wanted(n), checked(run, at, path))
        }
        from = until
      }
      slices
    } finally {
      count(wanted.length, bytes)
      bytes.close()
    }
  }

  private def address(part: Part, slice: Int): Long =
    part.firstSlice + (slice / BitSlices.Slices).toLong * part.pageBytes +
      (slice % BitSlices.Slices).toLong * slab.sliceBytes

  private def checked(run: Array[Byte], at: Int, path: Path): Array[Byte] = {
    val stored = ByteBuffer.wrap(run).order(ByteOrder.LITTLE_ENDIAN).getInt(at + bits)
    if (SlabPartWriter.checksum(run, at, bits) != stored)
      throw new DamagedIndex("damaged slice").in(path)
    java.util.Arrays.copyOfRange(run, at, at + bits)
  }
}

private object SlabSearch {

  /** The slices of a hash. */
  private final val PerHash = 8

  /** The most bytes of slices that are combined: about a second. */
  private final val MostCombined = 1e9

  /** Bytes between two slices that cost less to read than another request. */
  private final val MostGap = 64L * 1024
  private final val MostAtOnce = 8L * 1024 * 1024
}
