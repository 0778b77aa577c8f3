package io.sbbf.parquet.literal

import java.math.BigInteger

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.Value
import io.sbbf.parquet.literal.BoundPredicate.Unsupported
import io.sbbf.parquet.model.{ColumnType, Logical, Physical, ReaderRules}

final class LiteralEncodingsSuite extends AnyFunSuite {
  private val decimal = Value.Decimal(BigInteger.valueOf(100), 18, 2)
  private val int = Value.IntegerLiteral(-1, 32)
  private val long = Value.IntegerLiteral(-1, 64)
  private val instant = Value.Timestamp(1000000000000000L, true)
  private val localTime = Value.Timestamp(1000000000000000L, false)

  private def isUsable(test: Test, kind: ColumnType, reader: ReaderRules): Boolean =
    new LiteralEncodings(reader).of(Leaf(Seq("c"), test), kind) match {
      case Unsupported(_) => false
      case _ => true
    }

  test(
    "Iceberg's values are compared only where it reads what the annotation of a file states.") {
    // literal; physical and logical type of the file; whether Spark's rules and Iceberg's allow it
    val table = Seq(
      (int, Physical.Int32, Logical.Plain, true, true),
      (long, Physical.Int32, Logical.Plain, true, true),
      (long, Physical.Int64, Logical.Plain, true, true),
      (int, Physical.Int32, Logical.Integer(8, true), true, true),
      (int, Physical.Int32, Logical.Integer(8, false), true, false),
      (long, Physical.Int32, Logical.Integer(16, false), true, false),
      (decimal, Physical.Int32, Logical.Decimal(9, 2), true, true),
      (decimal, Physical.Int64, Logical.Decimal(18, 2), true, true),
      (decimal, Physical.Int32, Logical.Decimal(9, 1), true, false),
      (decimal, Physical.Int32, Logical.Plain, true, false),
      (instant, Physical.Int64, Logical.Timestamp(1000, utc = true, false), true, true),
      (instant, Physical.Int64, Logical.Timestamp(1000, utc = false, false), false, true),
      (localTime, Physical.Int64, Logical.Timestamp(1000, utc = false, false), true, true),
      (localTime, Physical.Int64, Logical.Timestamp(1000, utc = true, false), false, true),
      (Value.DoubleLiteral(1), Physical.Float32, Logical.Plain, true, true),
      (Value.DoubleLiteral(1), Physical.Int32, Logical.Plain, true, false)
    )
    for ((literal, physical, logical, bySpark, byIceberg) <- table) {
      val kind = ColumnType(physical, logical)
      for (test <- Seq(In(Seq(literal)), NotIn(Seq(literal)), Less(literal, orEqual = true))) {
        assert(isUsable(test, kind, ReaderRules.Spark) == bySpark, s"$test, $kind")
        assert(isUsable(test, kind, ReaderRules.Iceberg) == byIceberg, s"$test, $kind")
      }
    }
  }

  test("one literal that Iceberg reads as another value makes its whole test unusable.") {
    val kind = ColumnType(Physical.Int32, Logical.Decimal(9, 1))
    val tests = AllOf(Seq(IsNotNull, In(Seq(decimal))))
    assert(isUsable(tests, kind, ReaderRules.Spark))
    assert(!isUsable(tests, kind, ReaderRules.Iceberg))
    assert(isUsable(IsNull, kind, ReaderRules.Iceberg))
  }
}
