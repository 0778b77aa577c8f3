package io.sbbf.spark.write

import java.io.File

import org.apache.logging.log4j.Level
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row}

import io.sbbf.core.FilterSizing
import io.sbbf.spark.{Logged, SbbfConf, SparkSuite}

class ExactFiltersSuite extends SparkSuite with WrittenFiles {

  test("each row group's filter is the smallest of its distinct values, for every type.") {
    for (timestamps <- Seq("INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS")) {
      val folder = path(s"types-$timestamps")
      withConf("spark.sql.parquet.outputTimestampType" -> timestamps) {
        events.write
          .options(asking(columns :+ "flag": _*))
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

  test("all bytes before the filters are those that Spark writes without any.") {
    def write(to: String, options: Map[String, String]): Unit = events.write
      .options(options)
      .option("parquet.block.size", 64 * 1024)
      .option("parquet.page.size", 4 * 1024)
      .parquet(path(to))
    // an NDV makes parquet-mr write a filter of its own, if nobody keeps it from that
    val ndv =
      Seq("key", "name", "st.id").map(c => s"parquet.bloom.filter.expected.ndv#$c" -> "9999")
    write("with", asking(columns.filter(_ != "st.id"): _*) ++ ndv)
    write("without", Map.empty)
    val (Seq(exact), Seq(stock)) = (files(path("with")), files(path("without")))
    val end = exact.firstFilter
    assert(end == stock.footerStart)
    assert(exact.bytesBefore(end) == stock.bytesBefore(end))
    columns.foreach(assertExact(exact, _))
    val same = Seq("with", "without").map(to => rows(spark.read.parquet(path(to)).drop("bytes")))
    assert(same.distinct.size == 1)
  }

  test("other pages, layouts of lists and decimals, and file sizes make no difference.") {
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
      val written = write(s"$name-with", asking(leaves: _*))
      assert(written.size == (if (name == "sizes") 3 else 1))
      for (file <- written; column <- leaves) assertExact(file, column)
    }
    val Seq(legacy) = files(path("legacy-with"))
    assert(legacy.leaves.contains("list.bag.array"))
  }

  test("values that are larger than a batch of them are hashed whole.") {
    spark
      .range(0, 60, 1, 1)
      .selectExpr("if(id % 3 = 0, cast(id AS string), repeat(cast(id AS string), 40000)) AS key")
      .write
      .options(asking("key"))
      .parquet(path("large"))
    wrote(path("large"), 60)
  }

  test("more values than are counted are folded to the same filter.") {
    spark
      .range(0, 400000, 1, 1)
      .selectExpr("id", "cast(id % 300000 AS int) AS some")
      .write
      .options(asking("id", "some"))
      .option("parquet.bloom.filter.fpp#id", "0.001")
      .parquet(path("many"))
    val Seq(file) = files(path("many"))
    assert(file.numRowGroups == 1)
    assertExact(file, "id", 0.001)
    assertExact(file, "some")
  }

  test("expected.ndv and max.bytes are the most that a filter takes.") {
    spark
      .range(0, 200000, 1, 1)
      .selectExpr("id", "id AS other", "id % 1000 AS few")
      .write
      .options(asking("id", "other", "few"))
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

  test("it is stock's filters with the extension or the setting off.") {
    for ((key, n) <- Seq(SbbfConf.Enabled, SbbfConf.ExactFilters, SbbfConf.FormatEnabled)
        .map(_.key)
        .zipWithIndex)
      withConf(key -> "false") {
        spark.range(0, 100, 1, 1).write.options(asking("id")).parquet(path(s"off-$n"))
        val Seq(file) = files(path(s"off-$n"))
        assert(file.filter(0, "id").exists(_.length == 1024 * 1024))
      }
  }

  test(
    "streaming sinks have stock's filters by the session's settings and none by options, as one warning says.") {
    def stream(to: String, options: Map[String, String]): Seq[Option[Int]] = {
      val query = spark.readStream
        .schema("id LONG")
        .parquet(source)
        .writeStream
        .option("checkpointLocation", s"$to checkpoint")
        .options(options)
        .trigger(Trigger.AvailableNow())
        .start(to)
      query.awaitTermination()
      files(to).map(_.filter(0, "id").map(_.length))
    }
    val (lengths, messages) = Logged.during(Level.WARN) {
      val byOptions = stream(path("by options"), asking("id"))
      val bySettings = Seq("one", "two").map { to =>
        withConf(asking("id").toSeq: _*)(stream(path(to), Map.empty))
      }
      bySettings :+ byOptions
    }
    assert(lengths == Seq(Seq(Some(1024 * 1024)), Seq(Some(1024 * 1024)), Seq(None)))
    assert(messages.count(_.contains("a stream writes Parquet files itself")) == 1, messages)
  }

  test("what a stream writes by foreachBatch has them.") {
    val write: (DataFrame, Long) => Unit =
      (batch, _) => batch.write.options(asking("key")).mode("append").parquet(path("batches"))
    val stream = spark.readStream.schema("id LONG").parquet(source).selectExpr("id AS key")
    stream.writeStream
      .foreachBatch(write)
      .option("checkpointLocation", path("checkpoint of batches"))
      .trigger(Trigger.AvailableNow())
      .start()
      .awaitTermination()
    wrote(path("batches"), 100)
  }

  private lazy val source: String = {
    spark.range(0, 100, 1, 1).write.parquet(path("source"))
    path("source")
  }

  private def wrote(folder: String, rows: Long): Unit = {
    val written = files(folder)
    assert(written.nonEmpty)
    written.foreach(assertExact(_, "key"))
    assert(spark.read.parquet(folder).count() == rows)
  }

  private def keyed(from: Long, until: Long): DataFrame =
    spark.range(from, until, 1, 2).selectExpr("id AS key", "id % 3 AS part")

  private def writer(from: Long, until: Long): DataFrameWriter[Row] =
    keyed(from, until).write.options(asking("key"))

  test("every way of writing a table has them.") {
    writer(0, 100).partitionBy("part").parquet(path("partitioned"))
    wrote(path("partitioned"), 100)
    writer(100, 200).mode("append").partitionBy("part").parquet(path("partitioned"))
    wrote(path("partitioned"), 200)
    withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
      writer(0, 50).mode("overwrite").partitionBy("part").parquet(path("partitioned"))
    }
    wrote(path("partitioned"), 50)
    val warehouse = path("warehouse")
    writer(0, 100).saveAsTable("saved")
    wrote(s"$warehouse/saved", 100)
    writer(100, 200).insertInto("saved") // with the options that the table has
    wrote(s"$warehouse/saved", 200)
    writer(0, 100).bucketBy(2, "key").sortBy("key").saveAsTable("bucketed")
    wrote(s"$warehouse/bucketed", 100)
    keyed(0, 100).createOrReplaceTempView("some")
    val options = "OPTIONS ('parquet.bloom.filter.enabled#key' = 'true')"
    spark.sql(s"CREATE TABLE ctas USING parquet $options AS SELECT * FROM some")
    wrote(s"$warehouse/ctas", 100)
    spark.sql("INSERT INTO ctas SELECT * FROM some")
    wrote(s"$warehouse/ctas", 200)
    spark.sql("INSERT OVERWRITE ctas SELECT * FROM some")
    wrote(s"$warehouse/ctas", 100)
    spark.sql(
      s"CREATE TABLE parted (key BIGINT, part BIGINT) USING parquet $options PARTITIONED BY (part)")
    spark.sql("INSERT INTO parted PARTITION (part = 1) SELECT key FROM some")
    wrote(s"$warehouse/parted", 100)
  }

  test(
    "columns with capital letters have them in every way, though table options come in small ones.") {
    val options = asking("userId", "st.traceId").map { case (key, value) => s"'$key' '$value'" }
    val fpp = "'sbbf.bloom.filter.fpp#userId' '0.0001'"
    val all = (options.toSeq :+ fpp).mkString(", ")
    spark.sql(
      s"CREATE TABLE capitals (userId LONG, st STRUCT<traceId: LONG>) USING parquet OPTIONS ($all)")
    val row =
      "SELECT id AS userId, named_struct('traceId', id + 1) AS st FROM range(0, 500, 1, 1)"
    try {
      spark.sql(s"INSERT INTO capitals $row")
      spark.sql(row).write.insertInto("capitals")
      val written = files(s"${path("warehouse")}/capitals")
      assert(written.size == 2)
      written.foreach(assertExact(_, "userId", 0.0001))
      written.foreach(assertExact(_, "st.traceId"))
    } finally spark.sql("DROP TABLE capitals")
  }

  test("several inserts at once have them.") {
    val tables = Seq("evens", "odds")
    for (table <- tables)
      spark.sql(
        s"CREATE TABLE $table (key LONG) USING parquet " +
          "OPTIONS ('parquet.bloom.filter.enabled#key' 'true')")
    try {
      spark.sql(
        "FROM (SELECT id FROM range(0, 200, 1, 1)) INSERT INTO evens SELECT id AS key WHERE id % 2 = 0 " +
          "INSERT INTO odds SELECT id AS key WHERE id % 2 = 1")
      for (table <- tables) wrote(s"${path("warehouse")}/$table", 100)
    } finally tables.foreach(table => spark.sql(s"DROP TABLE $table"))
  }

  test("min.ndv and dictionary leave out filters of little use.") {
    keyed(0, 1000)
      .selectExpr("key", "part", "part AS little", "part AS listed")
      .coalesce(1)
      .write
      .options(asking("key", "part", "little", "listed"))
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
      // of names and the list all values are in a dictionary
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

  test("an FPP of auto falsely keeps one row group of the table.") {
    val sizes =
      Seq(0L -> 0.01, 50L -> 0.01, 1000L -> 0.001, 10000L -> 0.0001, (1L << 40) -> 0.00001)
    for ((rowGroups, fpp) <- sizes) assert(FilterOptions.oneOf(rowGroups) == fpp)
    spark.range(0, 120, 1, 120).selectExpr("id AS key", "id AS part").write.parquet(path("grows"))
    keyed(0, 1520)
      .coalesce(1)
      .write
      .mode("append")
      .options(asking("key"))
      .option("sbbf.bloom.filter.fpp#key", "auto")
      .parquet(path("grows"))
    val Some(file) = files(path("grows")).find(_.filter(0, "key").isDefined)
    assert(FilterSizing.bytesFor(1520, 0.01) < FilterSizing.bytesFor(1520, 1.0 / 120))
    assertExact(file, "key", 1.0 / 120)
  }

  test("an FPP of auto counts the tasks of a first write, each with a file of its own.") {
    val fpp = Map("sbbf.bloom.filter.fpp#key" -> "auto")
    keyed(0, 54000).repartition(150).write.options(asking("key") ++ fpp).parquet(path("first"))
    assert(FilterSizing.bytesFor(360, 0.01) == FilterSizing.bytesFor(360, 1.0 / 150) / 2)
    val written = files(path("first"))
    assert(written.size == 150)
    written.foreach(assertExact(_, "key", 1.0 / 150))
  }

  test("all of our own keys leave stock's filters where the extension is off.") {
    withConf(SbbfConf.Enabled.key -> "false") {
      writer(0, 1000)
        .options(Map(
          "sbbf.bloom.filter.fpp#key" -> "auto",
          "sbbf.bloom.filter.auto" -> "true",
          "sbbf.bloom.filter.min.ndv" -> "5000",
          "sbbf.bloom.filter.dictionary#key" -> "false"
        ))
        .option("parquet.bloom.filter.expected.ndv#key", "500")
        .parquet(path("stock"))
    }
    files(path("stock")).foreach { file =>
      assert(file.filter(0, "key").exists(_.length == 1024)) // by parquet-mr, of 500 at 0.01
      assert(file.filter(0, "part").isEmpty)
    }
  }

  test("a setting of the session asks for them, too.") {
    withConf("parquet.bloom.filter.enabled#key" -> "true") {
      keyed(0, 100).write.parquet(path("by-session"))
    }
    wrote(path("by-session"), 100)
  }

  test("a value out of range is refused before anything is written, with its key.") {
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

  test("our own key of the FPP takes one as well as auto, and comes before parquet-java's.") {
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

  test("a filter of a column that is not there is none.") {
    keyed(0, 10).write.options(asking("key", "strange")).parquet(path("strange"))
    wrote(path("strange"), 10)
  }

  test("files without rows are written as ever.") {
    keyed(0, 0).write.options(asking("key")).parquet(path("empty"))
    assert(spark.read.parquet(path("empty")).count() == 0)
  }
}
