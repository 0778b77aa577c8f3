package io.sbbf.parquet.values

import scala.util.Try

import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{
  BINARY,
  BOOLEAN,
  FIXED_LEN_BYTE_ARRAY
}
import org.apache.parquet.schema.{LogicalTypeAnnotation, Types}
import org.scalatest.funsuite.AnyFunSuite

class ValueKindSuite extends AnyFunSuite {
  private def fixed(annotation: LogicalTypeAnnotation) =
    Types.required(FIXED_LEN_BYTE_ARRAY).length(2).as(annotation).named("h")

  test("BOOLEAN and decimals in byte arrays of variable length have no filters") {
    assert(ValueKind.of(Types.required(BOOLEAN).named("b")).isEmpty)
    val decimal = Types.required(BINARY).as(LogicalTypeAnnotation.decimalType(2, 9))
    assert(ValueKind.of(decimal.named("d")).isEmpty)
  }

  test("byte arrays of fixed length have filters, unless they are FLOAT16") {
    assert(ValueKind.of(fixed(null)).contains(ValueKind.Bytes))
    // parquet-mr before 1.14 lacks the annotation
    val half = Try(classOf[LogicalTypeAnnotation].getMethod("float16Type").invoke(null)).toOption
    half.foreach { annotation =>
      assert(ValueKind.of(fixed(annotation.asInstanceOf[LogicalTypeAnnotation])).isEmpty)
    }
  }
}
