package io.sbbf.spark.pages

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.scalatest.funsuite.AnyFunSuite

/** The part of a filter that tasks evaluate first. */
class RowFilterSuite extends AnyFunSuite {
  private val k = AttributeReference("k", LongType)()
  private val m = AttributeReference("m", IntegerType)()
  private val columns =
    StructType(Seq(StructField("k", LongType), StructField("m", IntegerType)) :+ text("c"))
  private def text(name: String) = StructField(name, StringType)

  private def filter(parts: Expression*): Option[RowFilter] =
    RowFilter.of(parts, required = columns, data = columns, partitions = new StructType)

  private def batch(values: Seq[Option[Long]]): ColumnarBatch = {
    val vector = new OnHeapColumnVector(values.size, LongType)
    values.zipWithIndex.foreach {
      case (Some(value), row) => vector.putLong(row, value)
      case (None, row) => vector.putNull(row)
    }
    new ColumnarBatch(Array[ColumnVector](vector), values.size)
  }

  test("few wanted values are found as by the expression.") {
    val seed = sys.env.get("SBBF_SEED").fold(Random.nextLong())(_.hashCode.toLong)
    info(s"seed $seed")
    val random = new Random(seed)
    for (wanted <- Seq(1, 3, 16, 17, 40)) {
      def value() = random.nextInt(60).toLong
      val values = Seq.fill(500)(if (random.nextInt(5) == 0) None else Some(value()))
      val literals = Seq.fill(wanted)(Literal(value()))
      val part = if (wanted == 1) EqualTo(k, literals.head) else In(k, literals)
      val rows = batch(values)
      val found = filter(part).get.predicate()(rows)
      val plain = values.map(v => v.exists(n => literals.exists(_.value == n)))
      assert(values.indices.map(found) == plain, s"$wanted values")
      rows.close()
    }
  }

  test("lookups alone are evaluated first, with the parts that need no other column.") {
    def schema(parts: Expression*) = filter(parts: _*).map(_.schema.fieldNames.toSeq)
    val (lookup, range) = (EqualTo(k, Literal(5L)), GreaterThan(m, Literal(7)))
    assert(schema(lookup, range) == Some(Seq("k")))
    assert(schema(range) == Some(Seq("m")))
    assert(schema(IsNotNull(k)).isEmpty, "most rows pass")
    assert(schema(GreaterThan(Rand(Literal(7L)), Literal(0.5))).isEmpty, "not deterministic")
    assert(schema(range, lookup, IsNotNull(m)) == Some(Seq("k")))
  }
}
