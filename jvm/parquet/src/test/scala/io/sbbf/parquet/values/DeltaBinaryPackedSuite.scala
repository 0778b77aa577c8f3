package io.sbbf.parquet.values

import java.nio.ByteBuffer

import scala.util.{Random, Try}

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

  private def packed(
      values: Seq[Long],
      blockSize: Int = 128,
      miniblocks: Int = 4): Array[Byte] = {
    val writer =
      new DeltaBinaryPackingValuesWriterForLong(blockSize, miniblocks, 1024, 1 << 20, allocator)
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

  test("blocks may have another size, and other numbers of miniblocks.") {
    for ((size, miniblocks) <- Seq((128, 1), (128, 2), (256, 8), (512, 4));
      bits <- Seq(7, 33, 60)) {
      val written = values(777, bits)
      assert(decoded(packed(written, size, miniblocks), 777) == written, s"$size, $miniblocks")
    }
  }

  test("the widths of miniblocks without a value do not matter.") {
    val written = Seq(5L, 8L)
    val page = packed(written)
    assert(
      page.takeRight(4).sameElements(new Array[Byte](4)),
      "one difference, which is the least")
    assert(decoded(page.dropRight(3) ++ Array.fill[Byte](3)(-1), 2) == written)
  }

  test("a malformed header or width is refused.") {
    val header = Map(
      "no miniblock" -> Seq(0x80, 1, 0, 2, 0, 2, 0, 0, 0, 0),
      "a block of no value" -> Seq(0, 4, 2, 0, 2, 0, 0, 0, 0),
      "miniblocks of 7 values" -> Seq(28, 4, 2, 0, 2, 0, 0, 0, 0),
      "a block that is no multiple of its miniblocks" -> Seq(0x81, 1, 2, 2, 0, 2, 0, 0, 0, 0),
      "2^32 + 2 values" -> Seq(0x80, 1, 4, 0x82, 0x80, 0x80, 0x80, 0x10, 0, 2, 0, 0, 0, 0),
      "a number of 11 bytes" -> (Seq(0x80, 1, 4, 2, 0) ++ Seq.fill(10)(0x80) ++ Seq(0, 0, 0, 0,
        0)),
      "65 bits" -> (Seq(0x80, 1, 4, 2, 0, 2, 65, 0, 0, 0) ++ Seq.fill(260)(0)),
      "255 bits" -> (Seq(0x80, 1, 4, 2, 0, 2, 255, 0, 0, 0) ++ Seq.fill(1020)(0))
    )
    for ((name, bytes) <- header)
      withClue(name)(
        assertThrows[IllegalArgumentException](decoded(bytes.map(_.toByte).toArray, 2)))
    assert(decoded(Array(0x80, 1, 4, 2, 0, 2, 0, 0, 0, 0).map(_.toByte), 2) == Seq(0L, 1L))
  }

  test("a page with a changed byte is refused, or read as parquet-mr reads it.") {
    val page = packed(values(300, 20))
    val isRead = Seq.fill(2000) {
      val changed = page.clone()
      // the header, of 5 bytes, decides how much parquet-mr allocates
      changed(5 + random.nextInt(page.length - 5)) = random.nextInt().toByte
      val ours = Try(decoded(changed, 300))
      ours.failed.foreach(e => assert(e.isInstanceOf[RuntimeException]))
      val reader = Try(byParquetMr(changed, 300))
      for (found <- ours; twin <- reader) assert(found == Seq.fill(300)(twin.readLong()))
      ours.isSuccess
    }
    assert(isRead.toSet == Set(true, false))
  }
}
