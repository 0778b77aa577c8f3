package io.sbbf.core.kernel

import jdk.incubator.vector.{ByteVector, IntVector, LongVector, VectorOperators}

import io.sbbf.core.bloom.SplitBlockBloomFilter
import io.sbbf.core.bloom.XxHash64.{Prime1, Prime2, Prime3, Prime4, Prime5}

/**
 * Runs the loops on the Java Vector API, as it is from JDK 17 on. This is the only file that
 * names the API, because the module may be absent. In a query only [[KernelSelector]], which
 * expects a LinkageError, and [[FixedWidth]], which this object calls, touch this object.
 *
 * Species and constants are private vals of an object, and no other vector outlives the method
 * that made it: only then does the compiler keep vectors in registers. All vectors of longs have
 * 512 bits, because on JDK 17 loops of two widths slow each other down for good.
 */
object VectorKernel extends Kernel {
  import Kernel._
  import SplitBlockBloomFilter._
  import VectorOperators.{EQ, LSHL, LSHR, ROL, XOR}

  override val name: String = "vector"

  private[this] val BlockBytes = ByteVector.SPECIES_256
  private[this] val BlockInts = IntVector.SPECIES_256
  private[this] val Longs = LongVector.SPECIES_512

  private final val Lanes = 8

  /**
   * The number of elements that go through each step together. Some CPUs make a multiplication
   * wait for the last one whose result was in the same register; four vectors hide that.
   */
  private final val InStep = 4 * Lanes

  /** The number of hashes whose blocks are loaded together. */
  private final val Together = 4

  /**
   * The number of elements whose unfinished hashes stay in the nearest cache until they are
   * finished.
   */
  private final val Tile = 8 * InStep

  private[this] val One = IntVector.broadcast(BlockInts, 1)
  private[this] val Salt = IntVector.fromArray(
    BlockInts,
    Array(Salt0, Salt1, Salt2, Salt3, Salt4, Salt5, Salt6, Salt7),
    0)

  /** Returns the bits of this machine's widest vectors of ints. */
  def bitsOfInts: Int = IntVector.SPECIES_PREFERRED.vectorBitSize

  /** Returns the bits of this machine's widest vectors of longs. */
  def bitsOfLongs: Int = LongVector.SPECIES_PREFERRED.vectorBitSize

  override def hashLongs(
      values: Array[Long],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    checkHashing(from, until, values.length, hashes, to)
    var i = from
    while (i <= until - InStep) {
      val end = i + math.min(Tile, (until - i) / InStep * InStep)
      mixLongs(values, i, end, hashes, to + i - from)
      avalanche(hashes, to + i - from, to + end - from)
      i = end
    }
    ScalarKernel.hashLongs(values, i, until, hashes, to + i - from)
  }

  override def hashInts(
      values: Array[Int],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    checkHashing(from, until, values.length, hashes, to)
    var i = from
    while (i <= until - InStep) {
      val end = i + math.min(Tile, (until - i) / InStep * InStep)
      widen(values, i, end, hashes, to + i - from)
      mixInts(hashes, to + i - from, to + end - from)
      avalanche(hashes, to + i - from, to + end - from)
      i = end
    }
    ScalarKernel.hashInts(values, i, until, hashes, to + i - from)
  }

  /**
   * Hashes strings of one width, as most keys and digests are, eight per vector. A few strings
   * are not worth the scratch space.
   */
  override def hashBytes(
      bytes: Array[Byte],
      offsets: Array[Int],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    checkHashing(from, until, offsets.length - 1, hashes, to)
    val width = if (until - from < FixedWidth.Tile) 0 else offsets(from + 1) - offsets(from)
    if (width > 0 && width <= FixedWidth.MaxWidth && FixedWidth.isEven(
        offsets,
        from,
        until,
        width,
        bytes.length)) {
      val scratch = FixedWidth.scratch()
      var i = from
      while (i <= until - InStep) {
        val count = math.min(FixedWidth.Tile, (until - i) / InStep * InStep)
        FixedWidth.mix(bytes, offsets(i), width, count, scratch, hashes, to + i - from)
        avalanche(hashes, to + i - from, to + i - from + count)
        i += count
      }
      ScalarKernel.hashBytes(bytes, offsets, i, until, hashes, to + i - from)
    } else ScalarKernel.hashBytes(bytes, offsets, from, until, hashes, to)
  }

  // Steps 5 and 6 of XXH64 (see XxHash64) are separate loops, written out on purpose. The
  // compiler gives up on a graph as large as both together: vectors then live on the heap, ten
  // times slower. It does not inline methods of this many bytecodes.

  private def mixLongs(
      values: Array[Long],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    var i = from
    while (i < until) {
      var a = LongVector.fromArray(Longs, values, i).mul(Prime2)
      var b = LongVector.fromArray(Longs, values, i + Lanes).mul(Prime2)
      var c = LongVector.fromArray(Longs, values, i + 2 * Lanes).mul(Prime2)
      var d = LongVector.fromArray(Longs, values, i + 3 * Lanes).mul(Prime2)
      a = a.lanewise(ROL, 31).mul(Prime1).lanewise(XOR, Prime5 + 8)
      b = b.lanewise(ROL, 31).mul(Prime1).lanewise(XOR, Prime5 + 8)
      c = c.lanewise(ROL, 31).mul(Prime1).lanewise(XOR, Prime5 + 8)
      d = d.lanewise(ROL, 31).mul(Prime1).lanewise(XOR, Prime5 + 8)
      a = a.lanewise(ROL, 27).mul(Prime1).add(Prime4)
      b = b.lanewise(ROL, 27).mul(Prime1).add(Prime4)
      c = c.lanewise(ROL, 27).mul(Prime1).add(Prime4)
      d = d.lanewise(ROL, 27).mul(Prime1).add(Prime4)
      val at = to + i - from
      a.intoArray(hashes, at)
      b.intoArray(hashes, at + Lanes)
      c.intoArray(hashes, at + 2 * Lanes)
      d.intoArray(hashes, at + 3 * Lanes)
      i += InStep
    }
  }

  private def widen(
      values: Array[Int],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    var i = from
    while (i < until) {
      hashes(to - from + i) = values(i) & 0xffffffffL
      i += 1
    }
  }

  private def mixInts(hashes: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      var a = LongVector.fromArray(Longs, hashes, i).mul(Prime1)
      var b = LongVector.fromArray(Longs, hashes, i + Lanes).mul(Prime1)
      var c = LongVector.fromArray(Longs, hashes, i + 2 * Lanes).mul(Prime1)
      var d = LongVector.fromArray(Longs, hashes, i + 3 * Lanes).mul(Prime1)
      a = a.lanewise(XOR, Prime5 + 4).lanewise(ROL, 23).mul(Prime2).add(Prime3)
      b = b.lanewise(XOR, Prime5 + 4).lanewise(ROL, 23).mul(Prime2).add(Prime3)
      c = c.lanewise(XOR, Prime5 + 4).lanewise(ROL, 23).mul(Prime2).add(Prime3)
      d = d.lanewise(XOR, Prime5 + 4).lanewise(ROL, 23).mul(Prime2).add(Prime3)
      a.intoArray(hashes, i)
      b.intoArray(hashes, i + Lanes)
      c.intoArray(hashes, i + 2 * Lanes)
      d.intoArray(hashes, i + 3 * Lanes)
      i += InStep
    }
  }

  private def avalanche(hashes: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      var a = LongVector.fromArray(Longs, hashes, i)
      var b = LongVector.fromArray(Longs, hashes, i + Lanes)
      var c = LongVector.fromArray(Longs, hashes, i + 2 * Lanes)
      var d = LongVector.fromArray(Longs, hashes, i + 3 * Lanes)
      a = a.lanewise(XOR, a.lanewise(LSHR, 33)).mul(Prime2)
      b = b.lanewise(XOR, b.lanewise(LSHR, 33)).mul(Prime2)
      c = c.lanewise(XOR, c.lanewise(LSHR, 33)).mul(Prime2)
      d = d.lanewise(XOR, d.lanewise(LSHR, 33)).mul(Prime2)
      a = a.lanewise(XOR, a.lanewise(LSHR, 29)).mul(Prime3)
      b = b.lanewise(XOR, b.lanewise(LSHR, 29)).mul(Prime3)
      c = c.lanewise(XOR, c.lanewise(LSHR, 29)).mul(Prime3)
      d = d.lanewise(XOR, d.lanewise(LSHR, 29)).mul(Prime3)
      a = a.lanewise(XOR, a.lanewise(LSHR, 32))
      b = b.lanewise(XOR, b.lanewise(LSHR, 32))
      c = c.lanewise(XOR, c.lanewise(LSHR, 32))
      d = d.lanewise(XOR, d.lanewise(LSHR, 32))
      a.intoArray(hashes, i)
      b.intoArray(hashes, i + Lanes)
      c.intoArray(hashes, i + 2 * Lanes)
      d.intoArray(hashes, i + 3 * Lanes)
      i += InStep
    }
  }

  // The parts of steps 1 to 5 that FixedWidth calls, for accumulators and words in arrays.
  // `count` is a multiple of eight.

  /**
   * Runs a round of step 2 on the accumulators from `to` on, with the words at the array's start.
   */
  private[kernel] def addRound(scratch: Array[Long], to: Int, count: Int): Unit = {
    var i = 0
    while (i < count) {
      LongVector
        .fromArray(Longs, scratch, i)
        .mul(Prime2)
        .add(LongVector.fromArray(Longs, scratch, to + i))
        .lanewise(ROL, 31)
        .mul(Prime1)
        .intoArray(scratch, to + i)
      i += Lanes
    }
  }

  /**
   * Mixes in eight bytes of step 5, with a rotation by 27, or an accumulator of step 3, with a
   * rotation by 0.
   */
  private[kernel] def mixRound(
      hashes: Array[Long],
      to: Int,
      words: Array[Long],
      from: Int,
      count: Int,
      rotation: Int): Unit = {
    var i = 0
    while (i < count) {
      LongVector
        .fromArray(Longs, words, from + i)
        .mul(Prime2)
        .lanewise(ROL, 31)
        .mul(Prime1)
        .lanewise(XOR, LongVector.fromArray(Longs, hashes, to + i))
        .lanewise(ROL, rotation)
        .mul(Prime1)
        .add(Prime4)
        .intoArray(hashes, to + i)
      i += Lanes
    }
  }

  /** Mixes in four bytes of step 5, or one byte, as the constants say. */
  private[kernel] def mixShort(
      hashes: Array[Long],
      to: Int,
      words: Array[Long],
      count: Int,
      factor: Long,
      rotation: Int,
      multiplier: Long,
      addend: Long): Unit = {
    var i = 0
    while (i < count) {
      LongVector
        .fromArray(Longs, words, i)
        .mul(factor)
        .lanewise(XOR, LongVector.fromArray(Longs, hashes, to + i))
        .lanewise(ROL, rotation)
        .mul(multiplier)
        .add(addend)
        .intoArray(hashes, to + i)
      i += Lanes
    }
  }

  // The two loops over blocks are written out as well, and longer than what the compiler inlines
  // (325 bytecodes, FreqInlineSize): inlined into a large method of a caller, they lose their vectors to
  // the heap, thirty times slower, for as long as the JVM runs.

  override def insert(bitset: Array[Byte], hashes: Array[Long], from: Int, until: Int): Unit = {
    checkFilter(bitset, hashes, from, until)
    setAll(bitset, hashes, from, until)
  }

  private def setAll(bitset: Array[Byte], hashes: Array[Long], from: Int, until: Int): Unit = {
    val end = until - (until - from) % Together
    var i = from
    while (i < end) {
      val a = One.lanewise(LSHL, Salt.mul(hashes(i).toInt).lanewise(LSHR, 27))
      val b = One.lanewise(LSHL, Salt.mul(hashes(i + 1).toInt).lanewise(LSHR, 27))
      val c = One.lanewise(LSHL, Salt.mul(hashes(i + 2).toInt).lanewise(LSHR, 27))
      val d = One.lanewise(LSHL, Salt.mul(hashes(i + 3).toInt).lanewise(LSHR, 27))
      val atA = blockOffset(bitset.length, hashes(i))
      val atB = blockOffset(bitset.length, hashes(i + 1))
      val atC = blockOffset(bitset.length, hashes(i + 2))
      val atD = blockOffset(bitset.length, hashes(i + 3))
      // loads and stores hash by hash: two of them may select one block
      val blockA = ByteVector.fromArray(BlockBytes, bitset, atA).reinterpretAsInts()
      blockA.or(a).reinterpretAsBytes().intoArray(bitset, atA)
      val blockB = ByteVector.fromArray(BlockBytes, bitset, atB).reinterpretAsInts()
      blockB.or(b).reinterpretAsBytes().intoArray(bitset, atB)
      val blockC = ByteVector.fromArray(BlockBytes, bitset, atC).reinterpretAsInts()
      blockC.or(c).reinterpretAsBytes().intoArray(bitset, atC)
      val blockD = ByteVector.fromArray(BlockBytes, bitset, atD).reinterpretAsInts()
      blockD.or(d).reinterpretAsBytes().intoArray(bitset, atD)
      i += Together
    }
    while (i < until) {
      insertChecked(bitset, hashes(i))
      i += 1
    }
  }

  override def probe(
      bitset: Array[Byte],
      hashes: Array[Long],
      from: Int,
      until: Int,
      matches: Array[Long]): Unit = {
    checkFilter(bitset, hashes, from, until)
    checkMatches(until - from, matches)
    var start = from
    while (start < until) {
      val end = math.min(until, start + BitsPerWord)
      matches((start - from) / BitsPerWord) = hits(bitset, hashes, start, end)
      start = end
    }
  }

  override def containsAny(
      bitset: Array[Byte],
      hashes: Array[Long],
      from: Int,
      until: Int): Boolean = {
    checkFilter(bitset, hashes, from, until)
    var start = from
    var found = 0L
    while (start < until && found == 0) {
      val end = math.min(until, start + BitsPerWord)
      found = hits(bitset, hashes, start, end)
      start = end
    }
    found != 0
  }

  /** Returns a word with one bit for each of up to 64 hashes: whether the filter might contain it. */
  private def hits(bitset: Array[Byte], hashes: Array[Long], from: Int, until: Int): Long = {
    val end = until - (until - from) % Together
    var found = 0L
    var i = from
    while (i < end) {
      val a = One.lanewise(LSHL, Salt.mul(hashes(i).toInt).lanewise(LSHR, 27))
      val b = One.lanewise(LSHL, Salt.mul(hashes(i + 1).toInt).lanewise(LSHR, 27))
      val c = One.lanewise(LSHL, Salt.mul(hashes(i + 2).toInt).lanewise(LSHR, 27))
      val d = One.lanewise(LSHL, Salt.mul(hashes(i + 3).toInt).lanewise(LSHR, 27))
      val atA = blockOffset(bitset.length, hashes(i))
      val atB = blockOffset(bitset.length, hashes(i + 1))
      val atC = blockOffset(bitset.length, hashes(i + 2))
      val atD = blockOffset(bitset.length, hashes(i + 3))
      val blockA = ByteVector.fromArray(BlockBytes, bitset, atA).reinterpretAsInts()
      val blockB = ByteVector.fromArray(BlockBytes, bitset, atB).reinterpretAsInts()
      val blockC = ByteVector.fromArray(BlockBytes, bitset, atC).reinterpretAsInts()
      val blockD = ByteVector.fromArray(BlockBytes, bitset, atD).reinterpretAsInts()
      // no branch: with half hits it would be mispredicted every other time
      val some = (if (blockA.and(a).compare(EQ, 0).anyTrue()) 0L else 1L) |
        (if (blockB.and(b).compare(EQ, 0).anyTrue()) 0L else 2L) |
        (if (blockC.and(c).compare(EQ, 0).anyTrue()) 0L else 4L) |
        (if (blockD.and(d).compare(EQ, 0).anyTrue()) 0L else 8L)
      found |= some << (i - from)
      i += Together
    }
    while (i < until) {
      found |= probeChecked(bitset, hashes(i)).toLong << (i - from)
      i += 1
    }
    found
  }
}
