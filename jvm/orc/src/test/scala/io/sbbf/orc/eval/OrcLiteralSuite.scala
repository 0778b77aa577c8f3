package io.sbbf.orc.eval

import java.math.BigInteger

import org.apache.orc.TypeDescription
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.Value
import io.sbbf.core.predicate.Value._

/** Tests which literals ORC's library compares with which stored types. */
class OrcLiteralSuite extends AnyFunSuite {

  private def of(value: Value, stored: String): Option[Seq[AnyRef]] =
    OrcLiteral.of(value, TypeDescription.fromString(stored)).map(_.values)

  private def text(of: String): Value = Bytes(of.getBytes("UTF-8"), text = true)
  private def decimal(unscaled: Long, precision: Int, scale: Int): Value =
    Decimal(BigInteger.valueOf(unscaled), precision, scale)

  test("integers compare with the same and with narrower types.") {
    Seq("tinyint", "smallint", "int", "bigint").foreach(stored =>
      assert(of(IntegerLiteral(7, 64), stored).contains(Seq(Long.box(7))), stored))
    assert(of(IntegerLiteral(7, 32), "bigint").isEmpty)
    assert(of(IntegerLiteral(7, 8), "smallint").isEmpty)
    assert(of(IntegerLiteral(7, 64), "string").isEmpty)
  }

  test("a zero is both zeros in ascending order, and NaN compares with nothing.") {
    assert(of(DoubleLiteral(0.0), "double").contains(Seq(Double.box(-0.0), Double.box(0.0))))
    assert(of(FloatLiteral(-0.0f), "float").contains(Seq(Double.box(-0.0), Double.box(0.0))))
    assert(of(DoubleLiteral(Double.NaN), "double").isEmpty)
    assert(of(FloatLiteral(1.5f), "double").isEmpty && of(DoubleLiteral(1.5), "float").isEmpty)
  }

  test("texts compare if Java orders them as their bytes.") {
    assert(of(text("abc"), "string").contains(Seq("abc")))
    assert(of(text("abc"), "varchar(9)").contains(Seq("abc")))
    assert(of(text("abc"), "char(9)").isEmpty)
    assert(of(text("a" * 999), "string").isDefined && of(text("a" * 1000), "string").isEmpty)
    assert(of(text("\ud7ff"), "string").isDefined && of(text("a\ud83d\ude00"), "string").isEmpty)
    assert(of(text("\uffee"), "string").isEmpty)
    assert(of(Bytes(Array(-1, 0), text = true), "string").isEmpty)
    assert(of(Bytes(Array(97), text = false), "binary").isEmpty)
  }

  test("decimals compare at the same scale and at most the table's precision.") {
    assert(of(decimal(725, 10, 2), "decimal(10,2)").exists(_.head.toString == "7.25"))
    assert(of(decimal(725, 12, 2), "decimal(10,2)").isDefined)
    assert(of(decimal(725, 9, 2), "decimal(10,2)").isEmpty)
    assert(of(decimal(725, 10, 1), "decimal(10,2)").isEmpty)
  }

  test("days compare from 1582-10-25 on, and timestamps never.") {
    assert(of(Date(0), "date").exists(_.head.toString == "1970-01-01"))
    assert(of(Date(-141417), "date").isDefined && of(Date(-141418), "date").isEmpty)
    assert(of(Timestamp(0, utc = true), "timestamp").isEmpty)
  }
}
