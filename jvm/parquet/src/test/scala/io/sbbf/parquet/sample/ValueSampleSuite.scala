package io.sbbf.parquet.sample

import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.io.api.Binary
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.model.{ColumnType, Logical, Physical}
import io.sbbf.parquet.statistics.Bounds
import io.sbbf.parquet.values.ValueSink

class ValueSampleSuite extends AnyFunSuite {

  private final class Counting extends ValueSink {
    var passed = 0
    override def addInt(value: Int): Unit = passed += 1
    override def addLong(value: Long): Unit = passed += 1
    override def addBytes(value: Binary): Unit = passed += 1
  }

  private def int(plain: Array[Byte]): Int =
    ByteBuffer.wrap(plain).order(ByteOrder.LITTLE_ENDIAN).getInt

  private def plain(values: Int*): Seq[Array[Byte]] =
    values.map(value => ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array)

  private def bounds(kind: ColumnType, min: Array[Byte], max: Array[Byte]): Bounds = {
    val builder = new Bounds.Builder(1)
    builder.add(0, kind, min, max, isInexact = false)
    builder.build()
  }

  test("each value has the same probability of being kept, and all are passed on") {
    for (count <- Seq(0, 1, 5, 16, 17, 100, 12345)) {
      val next = new Counting
      val sample = new ValueSample(next)
      (0 until count).foreach(sample.addInt)
      val kept = sample.result.map(int)
      assert(next.passed == count)
      assert(kept.distinct.size == math.min(count, 16) && kept.forall(v => v >= 0 && v < count))
    }
    // the sample prefers neither the first values nor the last
    val sample = new ValueSample(new Counting)
    (0 until 100000).foreach(sample.addInt)
    val early = sample.result.map(int).count(_ < 50000)
    assert(early > 1 && early < 15)
  }

  test("the sample keeps the beginnings of long values") {
    val sample = new ValueSample(new Counting)
    sample.addBytes(Binary.fromString("x" * 100000))
    assert(sample.result.map(_.length) == Seq(65))
  }

  test("the kept bytes are those of the PLAIN encoding, for each physical type") {
    val sample = new ValueSample(new Counting)
    sample.addLong(0x0102030405060708L)
    sample.addFloat(1.5f)
    sample.addDouble(-2.5)
    sample.addBytes(Binary.fromString("né"))
    val Seq(long, float, double, text) = sample.result
    assert(long.toSeq == Seq[Byte](8, 7, 6, 5, 4, 3, 2, 1))
    def little(bytes: Array[Byte]) = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    assert(little(float).getFloat == 1.5f && little(double).getDouble == -2.5)
    assert(new String(text, "UTF-8") == "né")
  }

  private def within(values: Seq[Array[Byte]], columnType: ColumnType, bounds: Bounds): Int =
    new BoundedValues(values, columnType).within(bounds, 0)

  private val ints = ColumnType(Physical.Int32, Logical.Integer(32, signed = true))

  test("values within bounds are counted, and all values if bounds are unknown") {
    val known = bounds(ints, plain(-5).head, plain(10).head)
    val values = plain(-6, -5, 0, 10, 11, Int.MinValue, Int.MaxValue)
    assert(within(values, ints, known) == 3)
    assert(within(Nil, ints, known) == 0)
    val unknown = new Bounds.Builder(1).build()
    assert(within(values, ints, unknown) == values.size)
    assert(within(Seq(Array[Byte](1, 2)), ints, known) == 1) // of another type
  }

  test("texts are compared as unsigned bytes") {
    val texts = ColumnType(Physical.Bytes, Logical.Text)
    def bytes(text: String) = text.getBytes("UTF-8")
    val known = bounds(texts, bytes("b"), bytes("né"))
    val values = Seq("a", "b", "m", "ne", "né", "nü", "z").map(bytes)
    assert(within(values, texts, known) == 4)
  }
}
