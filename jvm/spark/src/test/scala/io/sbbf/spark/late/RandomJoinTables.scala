package io.sbbf.spark.late

import scala.util.Try

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.types.StructType

import io.sbbf.spark.testing.SparkSuite

/** Provides the tables of random joins. All have the same columns, some as other types. */
trait RandomJoinTables extends SparkSuite {
  import RandomJoinTables._

  /** The rows, in the ids' order. Values that are hard to compare are in few files. */
  private def all: DataFrame = spark
    .range(0, Rows, 1, 5)
    .selectExpr(
      "id",
      "id % 7 AS m",
      "id DIV 50 AS g",
      "xxhash64(id) AS k",
      "CAST(xxhash64(id, 1) % 1000000007 AS INT) AS i",
      "concat('user-', xxhash64(id, 2)) AS s",
      "concat('c', id, CASE id % 3 WHEN 0 THEN '' WHEN 1 THEN ' ' ELSE '  ' END) AS c",
      "CAST(unhex(hex(xxhash64(id, 3))) AS BINARY) AS b",
      special("d", "DOUBLE"),
      special("f", "FLOAT"),
      "DATE_ADD(DATE'1990-01-01', CAST(id * 7 AS INT)) AS day",
      "timestamp_seconds(id * 86400 * 3) AS ts",
      "CAST(timestamp_seconds(id * 3601) AS TIMESTAMP_NTZ) AS ntz",
      "IF(id % 10 = 3, NULL, xxhash64(id, 6)) AS n",
      "CAST(xxhash64(id, 7) AS DECIMAL(20, 0)) AS dec",
      "CAST((xxhash64(id, 8) % 100000000) / 100.0 AS DECIMAL(9, 2)) AS dec9"
    )

  /** Returns a column of random floating-point numbers, of which a few are zeros and NaN. */
  private def special(name: String, kind: String): String =
    Seq(Zeros -> "0", NegativeZeros -> "-0.0", Nans -> "NaN")
      .foldLeft(s"CAST(xxhash64(id, '$name') AS $kind)") { case (other, (ids, value)) =>
        s"IF(id IN (${ids.mkString(", ")}), CAST('$value' AS $kind), $other)"
      } + s" AS $name"

  private val filtered =
    Seq("k", "i", "s", "c", "b", "d", "f", "ts", "ntz", "n", "dec", "dec9")

  private lazy val options: Map[String, String] =
    filterOptions(filtered, ndv = 200, fpp = "0.001") + ("parquet.block.size" -> "1")

  /**
   * The names of the tables: files with filters, the same files read as wider types and with a
   * CHAR column, a table whose texts Spark has padded, and a partitioned one.
   */
  protected lazy val tableNames: Seq[String] = {
    withConf("spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS") {
      saved("log", all, options)
      all
        .selectExpr("*", "id % 3 AS p")
        .coalesce(1)
        .write
        .options(options)
        .partitionBy("p")
        .parquet(path("parts"))
      padded()
    }
    Seq("log", "parts").foreach(name =>
      spark.read.parquet(path(name)).createOrReplaceTempView(name))
    spark.read.schema(widened).parquet(path("log")).createOrReplaceTempView("wide")
    spark.sql(s"CREATE TABLE chars ($withChar) USING parquet LOCATION '${path("log")}'")
    Seq("log", "wide", "chars", "padded", "parts")
  }

  private lazy val withChar: String =
    all.schema.fields
      .map(field => s"${field.name} ${if (field.name == "c") "CHAR(8)" else field.dataType.sql}")
      .mkString(", ")

  private def padded(): Unit = {
    val texts = options.map { case (key, value) => s"'$key' = '$value'" }.mkString(", ")
    spark.sql(s"CREATE TABLE padded ($withChar) USING parquet OPTIONS ($texts)")
    all.write.insertInto("padded")
  }

  /** Returns the schema with each type widened that this version of Spark can read wider. */
  private def widened: StructType = {
    val known = spark.read.parquet(path("log")).schema
    Wider.foldLeft(known) { case (schema, (name, kind)) =>
      val wider = StructType(schema.map(field =>
        if (field.name == name) StructType.fromDDL(s"$name $kind").head else field))
      if (isReadable(wider)) wider else schema
    }
  }

  private def isReadable(schema: StructType): Boolean = Seq("true", "false").forall {
    vectorized =>
      withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized)(
        Try(spark.read.schema(schema).parquet(path("log")).collect()).isSuccess)
  }
}

private[late] object RandomJoinTables {

  /** The number of rows of each table. Row groups have 100 rows, files 400. */
  final val Rows = 2000

  /** Rows whose floating-point numbers are zeros and NaN, in one file or two. */
  val Zeros: Seq[Int] = Seq(10, 1700)
  val NegativeZeros: Seq[Int] = Seq(500, 1701)
  val Nans: Seq[Int] = Seq(900, 910)

  /** A row whose column `n` is NULL. */
  final val NullRow = 13

  private val Wider =
    Seq("i" -> "BIGINT", "f" -> "DOUBLE", "dec9" -> "DECIMAL(14, 4)", "day" -> "TIMESTAMP_NTZ")
}
