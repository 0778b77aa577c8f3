package io.sbbf.index.build

import java.util.Arrays

/**
 * Packs a key and the number of a row group into one positive Long, so that sorting needs no
 * objects. The key is in the upper bits.
 *
 * @param hashBits the leading bits of a hash that its key keeps
 * @param rowGroupBits the bits of the number of a row group
 * @param partBits the leading bits of a key by which keys go to parts
 */
private[sbbf] final case class KeyPacking(hashBits: Int, rowGroupBits: Int, partBits: Int) {
  require(hashBits + rowGroupBits <= 63 && partBits <= hashBits)

  def numParts: Int = 1 << partBits

  /** The bits that an entry takes, about: two for the gaps between keys, one for each row group. */
  def bitsOfEntry: Long = KeyPacking.SpareBits + 3L + rowGroupBits

  /** Returns the packed keys of a row group in ascending order, each once. */
  def pack(hashes: Array[Long], rowGroup: Int): Array[Long] = {
    val packed = new Array[Long](hashes.length)
    var i = 0
    while (i < hashes.length) {
      packed(i) = pack(hashes(i) >>> (64 - hashBits), rowGroup)
      i += 1
    }
    KeyPacking.distinct(packed) // different hashes may have one key
  }

  def pack(key: Long, rowGroup: Int): Long = key << rowGroupBits | rowGroup

  /** Returns the entry of a key that counts as being in all row groups, which is its last one. */
  def packEverywhere(key: Long): Long = pack(key, everywhere)

  /** The number that stands for all row groups. */
  def everywhere: Int = (1 << rowGroupBits) - 1

  def keyOf(packed: Long): Long = packed >>> rowGroupBits
  def rowGroupOf(packed: Long): Int = (packed & ((1L << rowGroupBits) - 1)).toInt

  /** Splits ascending packed keys into those of each part, without the parts that get none. */
  def byPart(packed: Array[Long]): Iterator[(Int, Array[Long])] = {
    def partOf(at: Int) = (keyOf(packed(at)) >>> (hashBits - partBits)).toInt
    def end(part: Int): Int = {
      val first = (part + 1L) << (hashBits - partBits + rowGroupBits)
      val found = if (part + 1 == numParts) packed.length else Arrays.binarySearch(packed, first)
      if (found < 0) -found - 1 else found
    }
    Iterator
      .iterate((0, if (packed.isEmpty) 0 else end(partOf(0)))) { case (_, until) =>
        (until, if (until < packed.length) end(partOf(until)) else until)
      }
      .takeWhile { case (from, until) => from < until }
      .map { case (from, until) => partOf(from) -> Arrays.copyOfRange(packed, from, until) }
  }
}

private[sbbf] object KeyPacking {

  /** Bits beyond those that number the keys: a lookup finds 1 of 4,096 absent keys by mistake. */
  private[build] final val SpareBits = 12

  /** A merged segment finds at most 1 of 256 absent keys by mistake. */
  private final val FewestSpareBits = 8

  /** The most entries of a part, which takes some 64 MB. */
  private final val EntriesOfPart: Long = 1L << 24

  /**
   * Returns the packing for at most so many entries.
   *
   * @param entries an upper limit of the number of pairs of a key and a row group
   * @param elsewhere the entries of other segments. Keys get the bits that number all of them, so
   *   that a merge of the segments does not have to read the files again.
   * @param rowGroups the number of row groups of the segment
   * @param mostBits the most leading bits of a hash that are known
   */
  def of(entries: Long, rowGroups: Int, elsewhere: Long = 0L, mostBits: Int = 63): KeyPacking = {
    val rowGroupBits = bits(rowGroups.toLong) // one number more, for Everywhere
    val wanted = math.max(1, bits(entries + elsewhere)) + SpareBits
    val hashBits = Seq(63 - rowGroupBits, mostBits, wanted).min
    val parts = bits((math.max(1L, entries) - 1) / EntriesOfPart)
    KeyPacking(hashBits, rowGroupBits, Seq(MostPartBits, hashBits, parts).min)
  }

  /** Sorts packed entries and returns each of them once. */
  def distinct(packed: Array[Long]): Array[Long] = {
    Arrays.sort(packed)
    var until = 0
    var i = 0
    while (i < packed.length) {
      if (i == 0 || packed(i) != packed(i - 1)) {
        packed(until) = packed(i)
        until += 1
      }
      i += 1
    }
    Arrays.copyOf(packed, until)
  }

  /** Returns the fewest bits of keys that a merge to so many entries takes from a segment. */
  def fewestBits(entries: Long): Int = bits(entries) + FewestSpareBits

  /** 4,096 parts, which hold 64 thousand million entries. */
  private final val MostPartBits = 12

  /** Returns the number of bits of a number. */
  private def bits(number: Long): Int = 64 - java.lang.Long.numberOfLeadingZeros(number max 0)
}

/** Numbers the parts of all columns, which are the partitions of a shuffle. */
private[sbbf] final class PartLayout(val packings: Seq[KeyPacking]) extends Serializable {
  private val firsts = packings.scanLeft(0)(_ + _.numParts)

  def size: Int = firsts.last
  def columnOf(partition: Int): Int = firsts.lastIndexWhere(_ <= partition)
  def partOf(partition: Int): Int = partition - firsts(columnOf(partition))
  def partition(column: Int, part: Int): Int = firsts(column) + part
}
