package io.sbbf.spark.scan

import java.nio.file.{Path => JPath}
import java.nio.{ByteBuffer, ByteOrder}

import scala.util.Try

import org.apache.parquet.example.data.Group
import org.apache.parquet.format.Statistics
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.DataFrame

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.parquet.testing.TestFiles.Style
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.SbbfConf

/** Checks that files with wrong statistics, like those of some writers, lose no row. */
class CorruptStatisticsSuite extends SparkSuite {
  import CorruptStatisticsSuite._

  private val sparkAlone =
    Seq(SbbfConf.Enabled.key -> "false", "spark.sql.parquet.filterPushdown" -> "true")

  private def table(file: JPath, schema: String): DataFrame =
    spark.read.schema(schema).parquet(file.toUri.toString)

  for (fault <- Faults)
    test(s"${fault.name}: no row is lost.") {
      val wrong = fault.file(fault.writer)
      for (predicate <- fault.predicates) {
        def query = table(wrong, fault.schema).where(predicate)
        val expected = oracle(query)
        assert(expected.nonEmpty, predicate)
        assert(rows(query) == expected, predicate)
        val found = withConf(sparkAlone: _*)(Try(rows(query)))
        assert(!found.toOption.contains(expected), s"Spark alone is right about $predicate")
        // no option prevents a failure while a reader is created
        if (found.isSuccess)
          withConf("spark.sbbf.rowGroupPruning.enabled" -> "false")(
            assert(rows(query) == expected))
      }
    }

  test("bounds without a column order lose no row, except those of trusted writers.") {
    def wrong(writer: String) = TestFiles.damaged(
      TestFiles.write("message m { required int64 c; }", Style(), numbers(1, 2, 9).iterator)) {
      (metadata, _) =>
        metadata.setCreated_by(writer)
        metadata.unsetColumn_orders()
        val stats = metadata.getRow_groups.get(0).getColumns.get(0).getMeta_data.getStatistics
        bounds(1, 2)(stats)
        stats.unsetMin()
        stats.unsetMax()
    }
    def query(writer: String) = table(wrong(writer), "c bigint").where("c = 9")
    val doubtful = query("Arrow2 - Native Rust implementation of Arrow")
    assert(rows(doubtful) == oracle(doubtful) && doubtful.count() == 1)
    assert(withConf(sparkAlone: _*)(query("whoever").count()) == 0)
    val trusted =
      Seq(
        "DuckDB",
        "parquet-rs version 49.0.0",
        "Polars",
        "QuestDB version 9.0",
        "parquet-mr-trino version 483")
    for (known <- trusted)
      assert(query(known).count() == 0, known) // parquet-mr's tasks may use these bounds
  }

  test("the same statistics of later versions and of other writers prune.") {
    for {
      fault <- Faults
      writer <- fault.trusted
      predicate <- fault.predicates
    } {
      val query = table(fault.file(writer), fault.schema).where(predicate)
      assert(query.inputFiles.isEmpty, s"$writer: $predicate")
    }
  }
}

private object CorruptStatisticsSuite {

  /**
   * @param wrong the change that makes the statistics of the column wrong
   * @param trusted writers whose same statistics are used
   */
  final case class Fault(
      name: String,
      writer: String,
      trusted: Seq[String],
      column: String,
      values: Seq[Group => Unit],
      wrong: Statistics => Unit,
      schema: String,
      predicates: String*) {

    def file(writer: String): JPath = {
      // writers make dictionaries of repeated values
      val style = Style(dictionary = values.size > values.distinct.size)
      val right = TestFiles.write(s"message m { $column }", style, values.iterator)
      TestFiles.damaged(right) { (metadata, _) =>
        metadata.setCreated_by(writer)
        wrong(metadata.getRow_groups.get(0).getColumns.get(0).getMeta_data.getStatistics)
      }
    }
  }

  private def texts(values: String*): Seq[Group => Unit] =
    values.map(v => (row: Group) => if (v == null) () else row.add("c", v))

  private def numbers(values: Long*): Seq[Group => Unit] =
    values.map(v => (row: Group) => row.add("c", v))

  private def twice(values: Seq[Group => Unit]): Seq[Group => Unit] = values ++ values

  private def bounds(min: Long, max: Long)(stats: Statistics): Unit = {
    def plain(value: Long) =
      ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array
    stats.setMin_value(plain(min)).setMax_value(plain(max))
    stats.setMin(plain(min)).setMax(plain(max))
    ()
  }

  private def decimals(width: Int, values: Long*): Seq[Group => Unit] = values.map { v =>
    val bytes = BigInt(v).toByteArray
    val padded = Array.fill(width - bytes.length)((if (v < 0) -1 else 0).toByte) ++ bytes
    (row: Group) => row.add("c", Binary.fromConstantByteArray(padded))
  }

  /**
   * Bounds of 1.00, 3.06 and -2.00 that omit -2.00, which the writer takes for the largest value
   * of an earlier page.
   */
  private def unsignedDecimals(name: String, writer: String, trusted: String*): Fault =
    Fault(
      name,
      writer,
      trusted,
      "required fixed_len_byte_array(4) c (DECIMAL(5, 2));",
      decimals(4, 100, -200, 306),
      _.setMin_value(Array[Byte](0, 0, 0, 100)).setMax_value(Array[Byte](0, 0, 1, 50)),
      "c decimal(5, 2)",
      "c = -2.00"
    )

  private val Faults = Seq(
    Fault(
      "NULLs that Arrow did not count before version 6",
      "parquet-cpp-arrow version 5.0.0",
      Seq("parquet-cpp-arrow version 6.0.0", "parquet-mr version 1.15.2"),
      "optional binary c (UTF8);",
      texts("a", null, "b"),
      _.setNull_count(0),
      "c string",
      "c IS NULL",
      "c <=> NULL"
    ),
    Fault(
      "bounds of a first batch, as Arrow wrote them before version 11",
      "parquet-cpp-arrow version 10.0.1",
      Seq("parquet-cpp-arrow version 11.0.0", "parquet-rs version 57.0.0"),
      "required binary c (UTF8);",
      texts("rusty", "sean", "aa", "zzz", "frank"),
      _.setMin_value("aa".getBytes).setMax_value("sean".getBytes),
      "c string",
      "c = 'zzz'",
      "c > 'sean'"
    ),
    Fault(
      "decimals that Arrow ordered as signed bytes before version 4",
      "parquet-cpp version 1.5.1-SNAPSHOT",
      Seq("parquet-cpp-arrow version 4.0.0"),
      "required fixed_len_byte_array(4) c (DECIMAL(5, 2));",
      decimals(4, 100, 200, 306),
      _.setMin_value(Array[Byte](0, 0, 0, -56)).setMax_value(Array[Byte](0, 0, 1, 50)),
      "c decimal(5, 2)",
      "c = 1.00",
      "c < 2"
    ),
    unsignedDecimals(
      "decimals that ClickHouse ordered as unsigned bytes",
      "ClickHouse v24.3.1.2672-lts",
      "ClickHouse v26.1.1.1-stable"),
    unsignedDecimals(
      "decimals that parquet-go ordered as unsigned bytes",
      "github.com/parquet-go/parquet-go version 0.32.0(build )",
      "github.com/parquet-go/parquet-go version 0.33.0(build )"
    ),
    unsignedDecimals(
      "decimals that parquet-go ordered as unsigned bytes under its older name",
      "github.com/segmentio/parquet-go version 0.0.0(build )"),
    unsignedDecimals(
      "decimals that arrow-rs ordered as unsigned bytes before version 13",
      "parquet-rs version 12.0.0",
      "parquet-rs version 13.0.0"),
    Fault(
      "decimals whose bounds are the wrong way round",
      "whoever",
      Nil,
      "required fixed_len_byte_array(4) c (DECIMAL(5, 2));",
      decimals(4, 100, -200, 306),
      _.setMin_value(Array[Byte](0, 0, 0, 100)).setMax_value(Array[Byte](-1, -1, -1, 56)),
      "c decimal(5, 2)",
      "c = 3.06"
    ),
    Fault(
      "numbers whose bounds are the wrong way round",
      "whoever",
      Nil,
      "required int64 c;",
      numbers(20, 10, 5),
      bounds(20, 5),
      "c bigint",
      "c = 10"
    ),
    Fault(
      "categories in the order in which fastparquet was given them",
      "fastparquet-python version 0.8.1 (build 0)",
      Seq("parquet-mr version 1.15.2"),
      "required int64 c;",
      twice(numbers(10, 5, 20)),
      bounds(10, 20),
      "c bigint",
      "c = 5"
    ),
    Fault(
      "instants whose bounds Parquet.Net writes in milliseconds",
      "Parquet.Net version LocalDev (build Local)",
      Seq("parquet-mr version 1.15.2"),
      "required int64 c (TIMESTAMP(MICROS,true));",
      numbers(1767225600000000L, 1767225600000001L),
      bounds(1767225600000L, 1767225600000L),
      "c timestamp",
      "c >= TIMESTAMP'2025-06-01'"
    ),
    Fault(
      "NULLs among categories of numbers that Arrow2 did not count",
      "Arrow2 - Native Rust implementation of Arrow",
      Seq("parquet-mr version 1.15.2"),
      "optional int64 c;",
      numbers(1) ++ texts(null) ++ numbers(3),
      _.setNull_count(0),
      "c bigint",
      "c IS NULL"
    ),
    Fault(
      "NULLs among categories that Polars did not count",
      "Polars",
      Seq("DuckDB version v1.1.0 (build 1)"),
      "optional binary c (UTF8);",
      texts("a", null, "b"),
      _.setNull_count(0),
      "c string",
      "c IS NULL"
    ),
    Fault(
      "NULLs among categories that Arrow2 did not count",
      "Arrow2 - Native Rust implementation of Arrow",
      Seq("parquet-mr version 1.15.2"),
      "optional binary c (UTF8);",
      texts("a", null, "b"),
      _.setNull_count(0),
      "c string",
      "c IS NULL"
    ),
    Fault(
      "decimals of which Polars joined the pages as unsigned bytes",
      "Polars",
      Seq("parquet-mr version 1.15.2"),
      "required fixed_len_byte_array(4) c (DECIMAL(5, 2));",
      decimals(4, -500, 300, 200, 1000),
      _.setMin_value(Array[Byte](0, 0, 0, -56)).setMax_value(Array[Byte](0, 0, 3, -24)),
      "c decimal(5, 2)",
      "c = -5.00"
    ),
    Fault(
      "NULLs that Polars counted once for each page",
      "Polars",
      Nil,
      "optional binary c (UTF8);",
      texts("a", null, "b", null),
      _.setNull_count(4),
      "c string",
      "c = 'b'",
      "c IS NOT NULL"
    ),
    Fault(
      "NULLs that Polars counted once for each page, where there are no bounds",
      "Polars",
      Seq("parquet-mr version 1.15.2"),
      "optional binary c (UTF8);",
      texts("a", null, "b", null),
      stats => {
        stats.setNull_count(4)
        stats.unsetMin_value()
        stats.unsetMax_value()
        stats.unsetMin()
        stats.unsetMax()
      },
      "c string",
      "c = 'b'"
    ),
    Fault(
      "decimals in fewer bytes than a literal has",
      "parquet-mr version 1.15.2",
      Nil,
      "required fixed_len_byte_array(2) c (DECIMAL(4, 2));",
      decimals(2, 100, 9999),
      _ => (),
      "c decimal(9, 2)",
      "c < 99999.99",
      "c IN (1.00, 99999.99)"
    )
  )
}
