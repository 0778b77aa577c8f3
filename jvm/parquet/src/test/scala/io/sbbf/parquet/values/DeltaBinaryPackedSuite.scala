package io.sbbf.parquet.values

import java.nio.ByteBuffer

import scala.util.Random

import org.apache.parquet.bytes.{ByteBufferInputStream, HeapByteBufferAllocator}
import org.apache.parquet.column.values.delta.{
  DeltaBinaryPackingValuesReader,
  DeltaBinaryPackingValuesWriterForInteger,
  DeltaBinaryPackingValuesWriterForLong
}
import org.scalatest.funsuite.AnyFunSuite

/** Compares decoded pages with those of parquet-mr's reader. */
class DeltaBinaryPackedSuite extends AnyFunSuite {
  private val seed = sys.env.get("SBBF_SEED").fold(new Random().nextLong())(_.toLong)
  info(s"SBBF_SEED=$seed")
  private val random = new Random(seed)
  private val allocator = new HeapByteBufferAllocator

  private def packed(values: Seq[Long]): Array[Byte] = {
    val writer = new DeltaBinaryPackingValuesWriterForLong(1024, 1 << 20, allocator)
    values.foreach(writer.writeLong)
    writer.getBytes.toByteArray
  }

  private def packedInts(values: Seq[Int]): Array[Byte] = {
    val writer = new DeltaBinaryPackingValuesWriterForInteger(1024, 1 << 20, allocator)
    values.foreach(writer.writeInteger)
    writer.getBytes.toByteArray
  }

  private def byParquetMr(page: Array[Byte], count: Int): DeltaBinaryPackingValuesReader = {
    val reader = new DeltaBinaryPackingValuesReader
    reader.initFromPage(count, ByteBufferInputStream.wrap(ByteBuffer.wrap(page)))
    reader
  }

  private def decoded(page: Array[Byte], count: Int): Seq[Long] =
    new DeltaBinaryPacked(page, 0).values(count).toSeq

  /** Returns values whose differences have up to so many bits. */
  private def values(count: Int, bits: Int): Seq[Long] = {
    def difference = if (bits == 0) 3L else random.nextLong() >>> (64 - bits)
    Seq.iterate(random.nextLong(), count)(_ + difference)
  }

  test("differences of each width, in blocks that are full or not, are those of parquet-mr.") {
    for (bits <- 0 to 64; count <- Seq(1, 2, 32, 33, 128, 129, 130, 1000)) {
      val written = values(count, bits)
      val page = packed(written)
      val reader = byParquetMr(page, count)
      assert(Seq.fill(count)(reader.readLong()) == written)
      assert(decoded(page, count) == written, s"$bits bits, $count values")
    }
  }

  test(
    "the lower half of each value is that of an INT32 column, also where differences overflow.") {
    for (bits <- 0 to 32; count <- Seq(1, 5, 128, 300)) {
      val written = values(count, bits).map(_.toInt)
      val page = packedInts(written)
      val reader = byParquetMr(page, count)
      assert(Seq.fill(count)(reader.readInteger()) == written)
      assert(decoded(page, count).map(_.toInt) == written, s"$bits bits, $count values")
    }
  }

  test("values are read from where they start to the end of the page.") {
    val written = values(100, 17)
    val page = Array.fill[Byte](7)(-1) ++ packed(written)
    assert(new DeltaBinaryPacked(page, 7).values(100).toSeq == written)
  }

  test("a page with another number of values is refused.") {
    val page = packed(values(100, 17))
    for (count <- Seq(0, 99, 101)) assertThrows[IllegalArgumentException](decoded(page, count))
    assert(decoded(packed(Nil), 0).isEmpty)
  }

  test("a page that is cut anywhere is refused.") {
    for (bits <- Seq(0, 1, 20, 57, 58, 64)) {
      val page = packed(values(300, bits))
      for (length <- 0 until page.length)
        assertThrows[IllegalArgumentException](decoded(page.take(length), 300))
    }
  }

  test("a page with changed bytes gives as many values or is refused.") {
    val page = packed(values(300, 20))
    for (_ <- 1 to 5000) {
      val changed = page.clone()
      changed(random.nextInt(page.length)) = random.nextInt().toByte
      try assert(decoded(changed, 300).length == 300)
      catch { case _: RuntimeException => }
    }
  }
}
