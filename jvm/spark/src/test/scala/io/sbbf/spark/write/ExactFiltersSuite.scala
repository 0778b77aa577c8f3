package io.sbbf.spark.write

import java.io.File

import io.sbbf.core.bloom.FilterSizing
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.SbbfConf

class ExactFiltersSuite extends SparkSuite with WrittenFiles {

  test("each row group has the smallest filter for its distinct values, for every type.") {
    for (timestamps <- Seq("INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS")) {
      val folder = path(s"types-$timestamps")
      withConf("spark.sql.parquet.outputTimestampType" -> timestamps) {
        events.write
          .options(enable(columns :+ "flag": _*))
          .option("parquet.block.size", 64 * 1024)
          .option("parquet.page.size", 4 * 1024)
          .parquet(folder)
      }
      val Seq(file) = files(folder)
      assert(file.numRowGroups > 3)
      columns.foreach(assertExact(file, _))
      assert(file.filter(0, "flag").isEmpty)
    }
  }

  test("a request for BOOLEAN columns alone writes no filter, not even one of parquet-mr.") {
    events.write.options(enable("flag")).parquet(path("flags"))
    val Seq(file) = files(path("flags"))
    assert(file.filter(0, "flag").isEmpty)
  }

  test("validation of each record does not change the filters.", TestFiles.FullRun) {
    events.write
      .options(enable(columns: _*))
      .option("parquet.validation", "true")
      .option("parquet.block.size", 64 * 1024)
      .parquet(path("validated"))
    val Seq(file) = files(path("validated"))
    assert(file.numRowGroups > 3)
    columns.foreach(assertExact(file, _))
  }

  test("row groups of nulls have no filter, and the others have their own.") {
    spark
      .range(0, 6000, 1, 1)
      .selectExpr("IF(id DIV 2000 = 1, NULL, id) AS key", "repeat(uuid(), 20) AS pad")
      .write
      .options(enable("key"))
      .option("parquet.block.size", 64 * 1024)
      .option("parquet.page.size.row.check.min", "100")
      .option("parquet.page.size.row.check.max", "100")
      .parquet(path("nulls"))
    val Seq(file) = files(path("nulls"))
    val bare = (0 until file.numRowGroups).filter(file.filter(_, "key").isEmpty)
    assert(bare.size > 3 && bare.head > 3 && bare.last < file.numRowGroups - 3)
    assertExact(file, "key")
  }

  test("all bytes before the filters equal those that Spark writes without filters.") {
    def write(to: String, options: Map[String, String]): Unit = events.write
      .options(options)
      .option("parquet.block.size", 64 * 1024)
      .option("parquet.page.size", 4 * 1024)
      .parquet(path(to))
    // an NDV makes parquet-mr write its own filter, unless it is removed
    val ndv =
      Seq("key", "name", "st.id").map(c => s"parquet.bloom.filter.expected.ndv#$c" -> "9999")
    write("with", enable(columns.filter(_ != "st.id"): _*) ++ ndv)
    write("without", Map.empty)
    val (Seq(exact), Seq(plain)) = (files(path("with")), files(path("without")))
    val end = exact.firstFilter
    assert(end == plain.footerStart)
    assert(exact.bytesBefore(end) == plain.bytesBefore(end))
    columns.foreach(assertExact(exact, _))
    val same = Seq("with", "without").map(to => rows(spark.read.parquet(path(to)).drop("bytes")))
    assert(same.distinct.size == 1)
  }

  test(
    "other pages, layouts of lists and decimals, and file sizes keep exact filters.",
    TestFiles.FullRun) {
    val ways = Seq(
      "pages" -> Map("parquet.writer.version" -> "PARQUET_2_0"),
      "legacy" -> Map.empty[String, String],
      "sizes" -> Map("maxRecordsPerFile" -> "1500"))
    for ((name, options) <- ways) {
      def write(to: String, more: Map[String, String] = Map.empty): Seq[WrittenFile] =
        withConf("spark.sql.parquet.writeLegacyFormat" -> (name == "legacy").toString) {
          events.drop("flag").write.options(options ++ more).parquet(path(to))
          files(path(to))
        }
      val leaves = write(s"$name-without").head.leaves
      val written = write(s"$name-with", enable(leaves: _*))
      assert(written.size == (if (name == "sizes") 3 else 1))
      for (file <- written; column <- leaves) assertExact(file, column)
    }
    val Seq(legacy) = files(path("legacy-with"))
    assert(legacy.leaves.contains("list.bag.array"))
  }

  test("values that are larger than a batch are hashed completely.") {
    spark
      .range(0, 60, 1, 1)
      .selectExpr("if(id % 3 = 0, cast(id AS string), repeat(cast(id AS string), 40000)) AS key")
      .write
      .options(enable("key"))
      .parquet(path("large"))
    wrote(path("large"), 60)
  }

  test("row groups with more values than are counted get the same filter by folding.") {
    spark
      .range(0, 400000, 1, 1)
      .selectExpr("id", "cast(id % 300000 AS int) AS some")
      .write
      .options(enable("id", "some"))
      .option("parquet.bloom.filter.fpp#id", "0.001")
      .parquet(path("many"))
    val Seq(file) = files(path("many"))
    assert(file.numRowGroups == 1)
    assertExact(file, "id", 0.001)
    assertExact(file, "some")
  }

  test("expected.ndv and max.bytes limit the size of a filter.") {
    spark
      .range(0, 200000, 1, 1)
      .selectExpr("id", "id AS other", "id % 1000 AS few")
      .write
      .options(enable("id", "other", "few"))
      .option("parquet.bloom.filter.expected.ndv#id", "5000")
      .option("parquet.bloom.filter.max.bytes", "50000") // up to a power of two
      .parquet(path("capped"))
    val Seq(file) = files(path("capped"))
    val lengths = Seq("id", "other", "few").map(file.filter(0, _).get.length)
    assert(
      lengths == Seq(FilterSizing.bytesFor(5000, 0.01), 65536, FilterSizing.bytesFor(1000, 0.01)))
    val hashes = file.hashes(0, "id")
    assert(file.filter(0, "id").get sameElements file.built(hashes, lengths.head))
  }

  test("Spark writes its own filters if the extension or the setting is off.") {
    for ((key, n) <- Seq(SbbfConf.Enabled, SbbfConf.ExactFilters, SbbfConf.RowGroupPruning)
        .map(_.key)
        .zipWithIndex)
      withConf(key -> "false") {
        spark.range(0, 100, 1, 1).write.options(enable("id")).parquet(path(s"off-$n"))
        val Seq(file) = files(path(s"off-$n"))
        assert(file.filter(0, "id").exists(_.length == 1024 * 1024))
      }
  }

  test("min.ndv and dictionary omit filters of little use.") {
    keyed(0, 1000)
      .selectExpr("key", "part", "part AS little", "part AS listed")
      .coalesce(1)
      .write
      .options(enable("key", "part", "little", "listed"))
      .option("sbbf.bloom.filter.min.ndv#key", "1000")
      .option("sbbf.bloom.filter.min.ndv#little", "4")
      .option("sbbf.bloom.filter.dictionary#listed", "false")
      .option("parquet.enable.dictionary#key", "false")
      .option("sbbf.bloom.filter.dictionary#key", "false")
      .parquet(path("left-out"))
    val Seq(file) = files(path("left-out"))
    assertExact(file, "key")
    assertExact(file, "part")
    assert(Seq("little", "listed").forall(file.filter(0, _).isEmpty))
  }

  test("auto chooses columns by their types and the distinct values of row groups.") {
    val table = path("chosen")
    events.write
      .option("sbbf.bloom.filter.auto", "true")
      .option("sbbf.bloom.filter.fpp#key", "0.001")
      .option("parquet.bloom.filter.enabled#few", "true")
      .option("parquet.bloom.filter.enabled#number", "false")
      .parquet(table)
    val Seq(file) = files(table)
    val chosen = columns.filter(file.filter(0, _).isDefined)
    assert(
      // all values of names and the list are in a dictionary
      chosen == Seq("id", "key", "few", "bytes", "st.id", "m.key_value.value"))
    assertExact(file, "bytes")
    assertExact(file, "key", fpp = 0.001)
    events.write
      .options(Map("sbbf.bloom.filter.auto" -> "true", "sbbf.bloom.filter.min.ndv" -> "4001"))
      .parquet(path("fewer"))
    val Seq(fewer) = files(path("fewer"))
    assert(columns.forall(fewer.filter(0, _).isEmpty))
    refused("sbbf.bloom.filter.auto", "maybe")
  }

  test("an FPP of auto falsely keeps about one row group of the table.") {
    val sizes =
      Seq(0L -> 0.01, 50L -> 0.01, 1000L -> 0.001, 10000L -> 0.0001, (1L << 40) -> 0.00001)
    for ((rowGroups, fpp) <- sizes) assert(FilterOptions.autoFpp(rowGroups) == fpp)
    spark.range(0, 120, 1, 120).selectExpr("id AS key", "id AS part").write.parquet(path("grows"))
    keyed(0, 1520)
      .coalesce(1)
      .write
      .mode("append")
      .options(enable("key"))
      .option("sbbf.bloom.filter.fpp#key", "auto")
      .parquet(path("grows"))
    val Some(file) = files(path("grows")).find(_.filter(0, "key").isDefined)
    assert(FilterSizing.bytesFor(1520, 0.01) < FilterSizing.bytesFor(1520, 1.0 / 120))
    assertExact(file, "key", 1.0 / 120)
  }

  test("an FPP of auto counts each task of a first write as one file.", TestFiles.FullRun) {
    val fpp = Map("sbbf.bloom.filter.fpp#key" -> "auto")
    keyed(0, 54000).repartition(150).write.options(enable("key") ++ fpp).parquet(path("first"))
    assert(FilterSizing.bytesFor(360, 0.01) == FilterSizing.bytesFor(360, 1.0 / 150) / 2)
    val written = files(path("first"))
    assert(written.size == 150)
    written.foreach(assertExact(_, "key", 1.0 / 150))
  }

  test("the sbbf keys do not change Spark's filters if the extension is off.") {
    withConf(SbbfConf.Enabled.key -> "false") {
      writer(0, 1000)
        .options(Map(
          "sbbf.bloom.filter.fpp#key" -> "auto",
          "sbbf.bloom.filter.auto" -> "true",
          "sbbf.bloom.filter.min.ndv" -> "5000",
          "sbbf.bloom.filter.dictionary#key" -> "false"
        ))
        .option("parquet.bloom.filter.expected.ndv#key", "500")
        .parquet(path("spark"))
    }
    files(path("spark")).foreach { file =>
      assert(file.filter(0, "key").exists(_.length == 1024)) // by parquet-mr: 500 at 0.01
      assert(file.filter(0, "part").isEmpty)
    }
  }

  test("a setting of the session requests exact filters.") {
    withConf("parquet.bloom.filter.enabled#key" -> "true") {
      keyed(0, 100).write.parquet(path("by-session"))
    }
    wrote(path("by-session"), 100)
  }

  test("an error names the key of an invalid value before anything is written.") {
    for ((key, value) <- Seq(
        "fpp#key" -> "2",
        "fpp#key" -> "x",
        "expected.ndv#key" -> "0",
        "max.bytes" -> "much")) refused(s"parquet.bloom.filter.$key", value)
    for ((key, value) <- Seq(
        "fpp" -> "1",
        "min.ndv" -> "0",
        "min.ndv" -> "65537",
        "dictionary" -> "yes"))
      refused(s"sbbf.bloom.filter.$key#key", value)
  }

  test("sbbf.bloom.filter.fpp takes a number, and overrides the key of parquet-mr.") {
    writer(0, 1000)
      .option("sbbf.bloom.filter.fpp#key", "0.0001")
      .option("parquet.bloom.filter.fpp#key", "0.1")
      .parquet(path("own"))
    files(path("own")).foreach(assertExact(_, "key", 0.0001))
  }

  private def refused(key: String, value: String): Unit = {
    val error = intercept[IllegalArgumentException] {
      writer(0, 10).option(key, value).parquet(path("refused"))
    }
    assert(error.getMessage.matches(s"$key must be .*, but was '$value'"))
    assert(filesIn(new File(path("refused"))).isEmpty)
  }

  test("a request for a missing column writes no filter.") {
    keyed(0, 10).write.options(enable("key", "strange")).parquet(path("strange"))
    wrote(path("strange"), 10)
  }

  test("files without rows are written as by Spark alone.") {
    keyed(0, 0).write.options(enable("key")).parquet(path("empty"))
    assert(spark.read.parquet(path("empty")).count() == 0)
  }
}
