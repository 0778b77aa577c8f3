package io.sbbf.core.kernel

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}

import scala.util.Random

import net.openhft.hashing.LongHashFunction
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter

import io.sbbf.core.bloom.{RandomSuite, SplitBlockBloomFilter, XxHash64}

/**
 * Calls both kernels directly, because a JVM that chooses one of them never runs the other.
 * Compares each with the definitions in [[XxHash64]] and [[SplitBlockBloomFilter]] and with other
 * implementations.
 */
class KernelSuite extends RandomSuite {

  private val sizes = (0 to 65) ++ Seq(207, 511, 512, 513, 4098)
  private val edges =
    Array(0L, -1L, 1L, 0xffffffffL, 0xffffffff00000000L, Long.MinValue, Long.MaxValue)

  private val kernels = Seq(ScalarKernel, VectorKernel)

  private def longs(random: Random, n: Int): Array[Long] =
    Array.tabulate(n)(i => if (i < edges.length) edges(i) else random.nextLong())

  /** Checks a range with elements before and after it, which must stay unchanged. */
  private def withMargins(n: Int)(check: (Int, Int) => Unit): Unit =
    Seq(0, 1, 7).foreach(from => check(from, from + n))

  for (kernel <- kernels) {
    randomTest(s"${kernel.name}: numbers hash as one by one, into their places alone") { random =>
      for (n <- sizes) withMargins(n) { (from, until) =>
        val values = longs(random, until + 3)
        val ints = values.map(_.toInt)
        for (to <- Seq(0, 5)) {
          val hashes = new Array[Long](to + n + 2)
          kernel.hashLongs(values, from, until, hashes, to)
          val expected = values.slice(from, until).map(XxHash64.hashLong)
          assert(
            hashes.sameElements(new Array[Long](to) ++ expected ++ Array(0L, 0L)),
            s"$n longs")
          val others = new Array[Long](to + n + 2)
          kernel.hashInts(ints, from, until, others, to)
          val expectedInts = ints.slice(from, until).map(XxHash64.hashInt)
          assert(
            others.sameElements(new Array[Long](to) ++ expectedInts ++ Array(0L, 0L)),
            s"$n ints")
        }
      }
    }

    randomTest(s"${kernel.name}: numbers may become their hashes in place") { random =>
      val values = longs(random, 1000)
      val hashes = values.clone()
      kernel.hashLongs(hashes, 0, 1000, hashes, 0)
      assert(hashes.sameElements(values.map(XxHash64.hashLong)))
    }

    randomTest(
      s"${kernel.name}: byte strings of 0 to 1,024 bytes hash as one by one, at any offset") {
      random =>
        val lengths = random.shuffle((0 to 1024).toList)
        for (start <- Seq(0, 1, 3, 13)) {
          val offsets = lengths.scanLeft(start)(_ + _).toArray
          val bytes = randomBytes(random, offsets.last + 5)
          val hashes = new Array[Long](lengths.size)
          kernel.hashBytes(bytes, offsets, 0, lengths.size, hashes, 0)
          for (i <- lengths.indices) {
            val expected = XxHash64.hashBytes(bytes, offsets(i), lengths(i))
            assert(hashes(i) == expected, s"${lengths(i)} bytes at ${offsets(i)}")
          }
        }
    }

    randomTest(
      s"${kernel.name}: byte strings of one width hash as one by one, whatever the width") {
      random =>
        for (width <- (0 to 100) ++ Seq(127, 128, 1024); n <- Seq(31, 255, 256, 257, 290, 700)) {
          val start = random.nextInt(9)
          val offsets = Array.tabulate(n + 3)(i => start + i * width)
          val bytes = randomBytes(random, offsets.last)
          val (from, to) = (random.nextInt(3), random.nextInt(4))
          val hashes = new Array[Long](to + n + 1)
          kernel.hashBytes(bytes, offsets, from, from + n, hashes, to)
          val expected =
            Array.tabulate(n)(i => XxHash64.hashBytes(bytes, offsets(from + i), width))
          assert(
            hashes.sameElements(new Array[Long](to) ++ expected :+ 0L),
            s"$n of $width bytes")
        }
    }

    randomTest(s"${kernel.name}: bitsets equal parquet-mr's after the same inserts") { random =>
      for (numBytes <- Seq(32, 64, 1024, 1 << 17); n <- sizes :+ 20000) withMargins(n) {
        (from, until) =>
          val hashes = longs(random, until + 2)
          val theirs = new BlockSplitBloomFilter(numBytes)
          hashes.slice(from, until).foreach(theirs.insertHash)
          val out = new ByteArrayOutputStream()
          theirs.writeTo(out)
          val bitset = new Array[Byte](numBytes)
          kernel.insert(bitset, hashes, from, until)
          assert(bitset.sameElements(out.toByteArray), s"$n hashes in $numBytes bytes")
      }
    }

    randomTest(s"${kernel.name}: inserts keep the bits that are set already") { random =>
      for (numBlocks <- (1 to 40) ++ Seq(63, 65, 1000, 4097)) {
        val before = randomBytes(random, numBlocks * 32).map(b => (b & 17).toByte)
        val hashes = longs(random, 500)
        val expected = before.clone()
        hashes.foreach(SplitBlockBloomFilter.insert(expected, _))
        val bitset = before.clone()
        kernel.insert(bitset, hashes, 0, 500)
        assert(bitset.sameElements(expected), s"$numBlocks blocks")
      }
    }

    randomTest(s"${kernel.name}: probes of a batch equal single probes") { random =>
      val filters = Seq(1, 2, 3, 40, 1000).flatMap { numBlocks =>
        val half = filterOf(numBlocks * 32, longs(random, numBlocks * 8))
        Seq(half, new Array[Byte](numBlocks * 32), Array.fill[Byte](numBlocks * 32)(-1))
      }
      for (bitset <- filters; n <- sizes) withMargins(n) { (from, until) =>
        val hashes = longs(random, until + 1)
        val matches = Array.fill((n + 63) / 64 + 1)(-1L)
        kernel.probe(bitset, hashes, from, until, matches)
        val expected = Array.fill(matches.length)(0L)
        for (i <- 0 until n if SplitBlockBloomFilter.mightContain(bitset, hashes(from + i)))
          expected(i / 64) |= 1L << i
        expected(matches.length - 1) = -1 // beyond the results
        assert(matches.sameElements(expected), s"$n hashes, ${bitset.length / 32} blocks")
        val any = expected.init.exists(_ != 0)
        assert(kernel.containsAny(bitset, hashes, from, until) == any, s"any of $n")
      }
    }

    randomTest(s"${kernel.name}: one hash of many is found at any index") { random =>
      val held = random.nextLong()
      val bitset = filterOf(1 << 15, Array(held))
      val absent =
        Iterator
          .continually(random.nextLong())
          .filter(!SplitBlockBloomFilter.mightContain(bitset, _))
      val hashes = absent.take(200).toArray
      assert(!kernel.containsAny(bitset, hashes, 0, 200))
      for (place <- hashes.indices) {
        val here = hashes.updated(place, held)
        assert(kernel.containsAny(bitset, here, 0, 200), place)
        assert(kernel.containsAny(bitset, here, place, place + 1), place)
        assert(!kernel.containsAny(bitset, here, place + 1, 200), place)
        assert(!kernel.containsAny(bitset, here, 0, place), place)
      }
    }

    randomTest(s"${kernel.name}: a million hashes give the bits and the results of one by one") {
      random =>
        val hashes = Array.fill(1 << 20)(random.nextLong())
        val numbers = new Array[Long](hashes.length)
        kernel.hashLongs(hashes, 0, hashes.length, numbers, 0)
        assert(numbers.indices.forall(i => numbers(i) == XxHash64.hashLong(hashes(i))))
        val bitset = new Array[Byte](1 << 20)
        kernel.insert(bitset, numbers, 0, numbers.length)
        assert(bitset.sameElements(filterOf(1 << 20, numbers)))
        val matches = new Array[Long](1 << 14)
        kernel.probe(bitset, numbers, 0, numbers.length, matches)
        assert(matches.forall(_ == -1))
    }

    test(s"${kernel.name}: a range outside of an array is rejected before anything is written") {
      val (bitset, hashes, matches) =
        (new Array[Byte](64), new Array[Long](10), new Array[Long](1))
      val (bytes, offsets) = (new Array[Byte](8), Array(0, 4, 8))
      def refused(call: => Any): Unit = {
        intercept[IndexOutOfBoundsException](call)
        assert(hashes.forall(_ == 0) && bitset.forall(_ == 0) && matches.forall(_ == 0))
      }
      for ((from, until) <- Seq((-1, 3), (0, 11), (5, 4), (Int.MinValue, 0), (0, Int.MaxValue))) {
        refused(kernel.hashLongs(Array.fill(10)(1L), from, until, hashes, 0))
        refused(kernel.hashInts(Array.fill(10)(1), from, until, hashes, 0))
        refused(kernel.insert(bitset, hashes, from, until))
        refused(kernel.probe(bitset, hashes, from, until, matches))
        refused(kernel.containsAny(bitset, hashes, from, until))
        refused(kernel.hashBytes(bytes, offsets, from, until, hashes, 0))
      }
      for (to <- Seq(-1, 9, Int.MaxValue)) {
        refused(kernel.hashLongs(Array(1L, 2L), 0, 2, hashes, to))
        refused(kernel.hashInts(Array(1, 2), 0, 2, hashes, to))
        refused(kernel.hashBytes(bytes, offsets, 0, 2, hashes, to))
      }
      refused(kernel.probe(bitset, new Array[Long](65), 0, 65, matches))
      // also where all strings seem to have one width
      val even = Array.tabulate(301)(_ * 16)
      val many = new Array[Long](300)
      for ((wrong, length) <- Seq(
          (Array(0, 9), 8),
          (Array(-1, 3), 8),
          (Array(4, 2), 8),
          (even, 4799),
          (even.map(_ - 1), 4800),
          (even.map(Int.MaxValue - 100 + _), 4800),
          (Array.tabulate(301)(_ << 30), 4800)
        )) {
        intercept[IndexOutOfBoundsException](
          kernel.hashBytes(new Array[Byte](length), wrong, 0, wrong.length - 1, many, 0))
        assert(many.forall(_ == 0))
      }
    }

    test(s"${kernel.name}: a length that is no positive multiple of 32 bytes is rejected") {
      for (length <- Seq(0, 1, 31, 33, 48)) {
        val bitset = new Array[Byte](length)
        for (call <- Seq[() => Any](
            () => kernel.insert(bitset, Array(1L), 0, 1),
            () => kernel.probe(bitset, Array(1L), 0, 1, Array(0L)),
            () => kernel.containsAny(bitset, Array(1L), 0, 1))) {
          assert(
            intercept[IllegalArgumentException](call()).getMessage ==
              s"a bitset's length must be a positive multiple of 32 bytes, not $length")
        }
      }
    }

    randomTest(s"${kernel.name}: hashes equal those of zero-allocation-hashing") { random =>
      val reference = LongHashFunction.xx()
      val values = longs(random, 5000)
      val (hashes, ints) = (new Array[Long](5000), new Array[Long](5000))
      kernel.hashLongs(values, 0, 5000, hashes, 0)
      kernel.hashInts(values.map(_.toInt), 0, 5000, ints, 0)
      assert(hashes.sameElements(values.map(reference.hashLong)))
      assert(ints.sameElements(values.map(v => reference.hashInt(v.toInt))))
      for (width <- 1 to 70) {
        val bytes = randomBytes(random, width * 300)
        val strings = new Array[Long](300)
        kernel.hashBytes(bytes, Array.tabulate(301)(_ * width), 0, 300, strings, 0)
        assert(
          strings.indices.forall(i => strings(i) == reference.hashBytes(bytes, i * width, width)),
          s"$width bytes")
      }
    }

    test(s"${kernel.name}: numbers hash as their little-endian bytes do") {
      val buffer = ByteBuffer.allocate(8 * edges.length).order(ByteOrder.LITTLE_ENDIAN)
      edges.foreach(buffer.putLong(_))
      val (numbers, strings) = (new Array[Long](edges.length), new Array[Long](edges.length))
      kernel.hashLongs(edges, 0, edges.length, numbers, 0)
      kernel.hashBytes(
        buffer.array,
        Array.tabulate(edges.length + 1)(_ * 8),
        0,
        edges.length,
        strings,
        0)
      assert(numbers.sameElements(strings))
    }
  }
}
