package io.sbbf.parquet.input

import scala.util.Random

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.testing.TestFiles

class RecordedBytesSuite extends AnyFunSuite {

  test("recorded ranges are read again, also in parts, and others are missing.") {
    val seed = TestFiles.seed()
    val random = new Random(seed)
    val file = new Array[Byte](500)
    random.nextBytes(file)
    def anyRange(): (Int, Int) = {
      val offset = random.nextInt(file.length)
      (offset, random.nextInt(math.min(60, file.length - offset) + 1))
    }
    for (_ <- 1 to 200) {
      val recorded = new RecordedBytes
      val ranges = Seq.fill(random.nextInt(8))(anyRange())
      ranges.foreach { case (offset, length) =>
        recorded.record(offset.toLong, file.slice(offset, offset + length))
      }
      for ((offset, length) <- ranges :+ anyRange()) {
        val into = new Array[Byte](length)
        val isRecorded =
          try { recorded.copy(offset.toLong, into); true }
          catch { case RecordedBytes.Missing => false }
        if (isRecorded) assert(into.sameElements(file.slice(offset, offset + length)), s"$seed")
      }
      assert(recorded.size <= ranges.map(_._2.toLong).sum, s"seed $seed")
    }
  }

  test("each recorded range is found if later ones do not start within it.") {
    val recorded = new RecordedBytes
    recorded.record(100, Array[Byte](1, 2, 3, 4))
    recorded.record(100, Array[Byte](1, 2)) // known
    recorded.record(0, Array[Byte](9))
    assert(recorded.size == 5)
    val into = new Array[Byte](2)
    recorded.copy(102, into)
    assert(into.toSeq == Seq(3, 4))
    intercept[RecordedBytes.Missing.type](recorded.copy(103, into))
    intercept[RecordedBytes.Missing.type](recorded.copy(1, into))
  }

  test("recorded bytes have the version that was verified, and the time before they were read.") {
    val version = FileVersion(new Path("file:/a"), 9L, 1L)
    val source = new RecordedSource(new RecordedBytes, readAt = 5L, Some(version))
    assert(source.version() == version && source.readAt == 5L)
    intercept[RecordedBytes.Missing.type](
      new RecordedSource(new RecordedBytes, readAt = 5L, None).version())
  }
}
