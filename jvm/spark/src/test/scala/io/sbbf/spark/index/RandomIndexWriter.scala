package io.sbbf.spark.index

import java.io.File

import org.apache.parquet.example.data.Group
import org.apache.spark.sql.{Row, SparkSession}

import io.sbbf.parquet.testing.TestFiles

/** A way of writing files of a [[RandomIndexTable]]. */
private[index] final case class RandomIndexWriter(
    name: String,
    without: Set[String] = Set.empty,
    casts: Map[String, String] = Map.empty,
    conf: Map[String, String] = Map.empty,
    options: Map[String, String] = Map.empty,
    isParquetMr: Boolean = false) {

  /** Writes one file to a folder. */
  def write(spark: SparkSession, first: Int, rows: Int, to: File): Unit = {
    val columns = RandomIndexTable.Values.filterNot { case (column, _) => without(column) }.map {
      case (column, of) =>
        val value = of.replace("$", "id")
        s"${casts.get(column).fold(value)(t => s"cast($value AS $t)")} AS `$column`"
    }
    val range = spark.range(first, first + rows, 1, 1)
    if (isParquetMr) writeTyped(range.selectExpr("id" +: columns: _*).collect().toSeq, to)
    else {
      val all = RandomIndexWriter.Settings ++ conf
      all.foreach { case (key, value) => spark.conf.set(key, value) }
      try
        range
          .selectExpr("id" +: columns: _*)
          .write
          .options(RandomIndexWriter.SmallRowGroups ++ options)
          .parquet(to.getPath)
      finally all.keys.foreach(spark.conf.unset)
    }
  }

  /** Writes types that Spark reads and does not write. */
  private def writeTyped(rows: Seq[Row], to: File): Unit = {
    to.mkdirs()
    TestFiles.write(
      """message spark_schema {
          required int64 id;
          optional int32 key (INTEGER(32, false));
          required int64 time (TIMESTAMP(MILLIS, true));
        }""",
      TestFiles.Style(dictionary = true),
      rows.iterator.map { row => (g: Group) =>
        g.add("id", row.getAs[Long]("id"))
        if (row.getAs[Any]("key") != null) g.add("key", row.getAs[Long]("key").toInt)
        // Spark refuses to read old times of writers that it does not know
        g.add("time", math.abs(row.getAs[java.sql.Timestamp]("time").getTime))
      },
      new File(to, "typed.parquet").toPath
    )
    ()
  }
}

private[index] object RandomIndexWriter {
  private def rebase(mode: String): Map[String, String] = Map(
    "spark.sql.parquet.datetimeRebaseModeInWrite" -> mode,
    "spark.sql.parquet.int96RebaseModeInWrite" -> mode)

  private val Settings = rebase("CORRECTED") + unit("TIMESTAMP_MICROS")

  private val SmallRowGroups =
    Map("parquet.block.size" -> "1000", "parquet.page.size.row.check.min" -> "20")

  private def unit(of: String): (String, String) =
    "spark.sql.parquet.outputTimestampType" -> of

  private val California = "spark.sql.session.timeZone" -> "America/Los_Angeles"

  def all(spark: String): Seq[RandomIndexWriter] = Seq(
    RandomIndexWriter("Spark"),
    RandomIndexWriter("Spark, plain", options = Map("parquet.enable.dictionary" -> "false")),
    RandomIndexWriter("old columns", without = Set("more", "inner", "tiny")),
    RandomIndexWriter("INT96", conf = Map(unit("INT96"))),
    RandomIndexWriter("legacy INT96", conf = rebase("LEGACY") + unit("INT96")),
    RandomIndexWriter("milliseconds", conf = Map(unit("TIMESTAMP_MILLIS"))),
    RandomIndexWriter("legacy calendar", conf = rebase("LEGACY")),
    RandomIndexWriter("legacy calendar elsewhere", conf = rebase("LEGACY") + California),
    RandomIndexWriter(
      "legacy INT96 elsewhere",
      conf = rebase("LEGACY") + unit("INT96") + California),
    RandomIndexWriter(
      "legacy format",
      conf = Map("spark.sql.parquet.writeLegacyFormat" -> "true")),
    RandomIndexWriter(
      "other columns",
      without = Set("key", "name", "tags", "map"),
      options = Map("parquet.writer.version" -> "v2")),
    RandomIndexWriter("parquet-mr", isParquetMr = true)
  ) ++ (if (spark < "4") Nil
        else
          Seq(
            RandomIndexWriter(
              "narrow types",
              casts = Map(
                "key" -> "int",
                "few" -> "smallint",
                "real" -> "float",
                "price" -> "decimal(9,2)"))))
}
