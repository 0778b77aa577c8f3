package io.sbbf.parquet
package sample

import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.io.api.Binary
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.footer.{Bounds, ColumnType, Logical, Physical}
import io.sbbf.parquet.write.ValueSink

class ProbesSuite extends AnyFunSuite {

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
    builder.add(0, kind, min, max)
    builder.build()
  }

  test("values are kept evenly from all that pass, and all are handed on") {
    for (count <- Seq(0, 1, 5, 16, 17, 100, 12345)) {
      val next = new Counting
      val probes = new Probes(next)
      (0 until count).foreach(probes.addInt)
      val kept = probes.result.map(int)
      assert(next.passed == count)
      assert(kept.size >= math.min(count, 8) && kept.size <= 16)
      val steps = kept.zip(kept.drop(1)).map { case (a, b) => b - a }.distinct
      assert(steps.size <= 1 && kept.headOption.forall(_ == 0))
      assert(kept.isEmpty || count - kept.last <= steps.headOption.getOrElse(1))
    }
  }

  test("of each physical type the kept bytes are those of the PLAIN encoding") {
    val probes = new Probes(new Counting)
    probes.addLong(0x0102030405060708L)
    probes.addFloat(1.5f)
    probes.addDouble(-2.5)
    probes.addBytes(Binary.fromString("né"))
    val Seq(long, float, double, text) = probes.result
    assert(long.toSeq == Seq[Byte](8, 7, 6, 5, 4, 3, 2, 1))
    def little(bytes: Array[Byte]) = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    assert(little(float).getFloat == 1.5f && little(double).getDouble == -2.5)
    assert(new String(text, "UTF-8") == "né")
  }

  private val ints = ColumnType(Physical.Int32, Logical.Integer(32, signed = true))

  test("those within bounds are counted, and all where bounds tell nothing") {
    val known = bounds(ints, plain(-5).head, plain(10).head)
    val values = plain(-6, -5, 0, 10, 11, Int.MinValue, Int.MaxValue)
    assert(Probes.within(values, ints, known, 0) == 3)
    assert(Probes.within(Nil, ints, known, 0) == 0)
    val unknown = new Bounds.Builder(1).build()
    assert(Probes.within(values, ints, unknown, 0) == values.size)
    assert(Probes.within(Seq(Array[Byte](1, 2)), ints, known, 0) == 1) // of another type
  }

  test("texts are compared as bytes without a sign") {
    val texts = ColumnType(Physical.Bytes, Logical.Text)
    def bytes(text: String) = text.getBytes("UTF-8")
    val known = bounds(texts, bytes("b"), bytes("né"))
    val values = Seq("a", "b", "m", "ne", "né", "nü", "z").map(bytes)
    assert(Probes.within(values, texts, known, 0) == 4)
  }
}
