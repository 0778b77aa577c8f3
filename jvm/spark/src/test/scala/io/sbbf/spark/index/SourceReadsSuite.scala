package io.sbbf.spark.index

import java.io.File

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.spark.table.TableTasks

/** An index is used only by scans that read files as its builder did, and only in files that it knows. */
class SourceReadsSuite extends SourceTables {

  private def files(table: String, n: Int = 4): Unit =
    for (i <- 0 until n)
      lines(
        table,
        s"$i.csv",
        "id;name;at",
        s"${i * 10};a$i;2024-03-10 02:30:00",
        s"${i * 10 + 1};- ;2024-03-10 12:00:0$i")

  private val Schema = "id INT, name STRING, at TIMESTAMP"

  private def read(table: String, options: (String, String)*): DataFrame =
    spark.read
      .options(Map("header" -> "true", "sep" -> ";") ++ options)
      .schema(Schema)
      .csv(path(table))

  private def indexed(table: String, read: DataFrame, columns: String*): IndexOutcome = {
    read.createOrReplaceTempView(table)
    index(table, columns: _*)
  }

  test("another option, schema, time zone or setting keeps all files") {
    files("reads")
    indexed("reads", read("reads"), "id", "name")
    def of(frame: DataFrame) = frame.where("id = 10")
    assert(keptFiles(of(read("reads"))) == 1)
    // what only selects files
    assert(keptFiles(of(read("reads", "pathGlobFilter" -> "*.csv", "SEP" -> ";"))) == 1)
    val others = Seq[(String, DataFrame)](
      "nullValue" -> read("reads", "nullValue" -> "a1"),
      "mode" -> read("reads", "mode" -> "DROPMALFORMED"),
      "timestampFormat" -> read("reads", "timestampFormat" -> "yyyy-MM-dd HH:mm:ss"),
      "white space" -> read("reads", "ignoreTrailingWhiteSpace" -> "true"),
      "no value" -> read("reads", "nanValue" -> null),
      "no header" -> read("reads", "header" -> "false"),
      "type" -> spark.read
        .options(Map("header" -> "true", "sep" -> ";"))
        .schema("id BIGINT, name STRING, at TIMESTAMP")
        .csv(path("reads")),
      "fewer columns" -> spark.read
        .options(Map("header" -> "true", "sep" -> ";"))
        .schema("id INT, name STRING")
        .csv(path("reads"))
    )
    for ((what, frame) <- others) {
      assert(pruning(of(frame)).isEmpty, what)
      assertSameRows(of(frame), what)
    }
    for ((key, value) <- Seq(
        "spark.sql.session.timeZone" -> "Asia/Tokyo",
        "spark.sql.ansi.enabled" -> (!spark.conf
          .get("spark.sql.ansi.enabled")
          .toBoolean).toString,
        "spark.sql.legacy.timeParserPolicy" -> "LEGACY",
        "spark.sql.csv.parser.columnPruning.enabled" -> "false",
        "spark.sql.execution.datasources.hadoopLineRecordReader.enabled" -> "false",
        "spark.sql.files.archive.reader.enabled" -> "true",
        "spark.sql.caseSensitive" -> "true"
      ))
      withConf(key -> value) {
        assert(pruning(of(read("reads"))).isEmpty, key)
        assertSameRows(of(read("reads")), key)
      }
    assert(keptFiles(of(read("reads"))) == 1)
  }

  test("a timestamp in texts is refused, because a time without a date is of today") {
    files("today")
    val e = intercept[IllegalArgumentException](indexed("today", read("today"), "at"))
    assert(
      e.getMessage == "column 'at' of today cannot be indexed: a time without a date, such as " +
        "08:00, is of the day on which Spark reads it")
  }

  test("a view of an expression is no table") {
    files("viewed")
    read("viewed").selectExpr("lower(name) AS name").createOrReplaceTempView("viewed")
    assert(
      intercept[IllegalArgumentException](index("viewed", "name")).getMessage.contains("view"))
  }

  test("the time zone counts only for columns whose values depend on it") {
    for (n <- 0 until 3) lines("zoneless", s"$n.json", s"""{"id": $n, "name": "x$n"}""")
    def query = spark.read.schema("id INT, name STRING").json(path("zoneless")).where("id = 1")
    indexed("zoneless", spark.read.schema("id INT, name STRING").json(path("zoneless")), "id")
    withConf("spark.sql.session.timeZone" -> "Asia/Tokyo")(assert(keptFiles(query) == 1))
  }

  test("each way to read a table has its own segments, and all of them go with the index") {
    files("both")
    indexed("both", read("both"), "id")
    indexed("both", read("both", "nullValue" -> "a1"), "name")
    assert(keptFiles(read("both").where("id = 10")) == 1)
    assert(keptFiles(read("both", "nullValue" -> "a1").where("name = 'a2'")) == 1)
    assert(keptFiles(read("both").where("name = 'a1'")) == 4)
    assert(rows(read("both").where("name = 'a1'").select("id")) == Seq("[10]"))
    assert(IndexCommand.info(spark, "both").map(_.getString(0)) == Seq("name"))
    IndexCommand.drop(spark, "both")
    assert(pruning(read("both").where("id = 10")).isEmpty)
  }

  test("settings that change between two jobs of a build and return change no task") {
    files("settings")
    read("settings").createOrReplaceTempView("settings")
    val target = new IndexedTable("settings", spark).target
    val tasks = new TableTasks(spark, spark.sessionState.newHadoopConf(), target, "test")
    def zone() = tasks.map(Seq(1), "zone")((_, _) => SQLConf.get.sessionLocalTimeZone).head
    val before = zone()
    withConf("spark.sql.session.timeZone" -> "Asia/Tokyo")(assert(zone() == before))
  }

  test("settings that change after the index was read stop its build") {
    files("changed")
    read("changed").createOrReplaceTempView("changed")
    val target = new IndexedTable("changed", spark).target
    assert(target.readAs.isDefined)
    withConf("spark.sql.legacy.timeParserPolicy" -> "LEGACY") {
      val e = intercept[IllegalStateException](target.keys(Seq("id")))
      assert(e.getMessage.contains("changed while its index was built"))
    }
    target.keys(Seq("id"))
    target.requireSameRead()
  }

  test("a file with a malformed record is skipped, and scans keep it") {
    files("torn")
    lines("torn", "torn.csv", "id;name;at", "77;b;2024-01-01 00:00:00", "x;c;never", "78;d")
    val outcome = indexed("torn", read("torn"), "id", "name")
    assert(outcome.files == 4 && outcome.skipped == 1)
    assert(outcome.reason.contains("torn.csv") && outcome.reason.contains("malformed record"))
    assert(keptFiles(read("torn").where("id = 77")) == 1)
    assert(keptFiles(read("torn").where("id = 10")) == 2)
    for (condition <- Seq("id = 77", "id = 78", "name = 'c'", "id = 10"))
      assertSameRows(read("torn").where(condition), condition)
  }

  test("a compressed file that ends early is skipped, also if Spark ignores corrupt files") {
    for (n <- 0 until 2)
      spark
        .range(n * 1000, n * 1000 + 1000, 1, 1)
        .selectExpr("id", "xxhash64(id) AS hash")
        .write
        .mode("append")
        .option("compression", "gzip")
        .json(path("cut"))
    val cut = new File(path("cut")).listFiles.filter(_.getName.endsWith(".json.gz")).head
    val whole = java.nio.file.Files.readAllBytes(cut.toPath)
    java.nio.file.Files.write(cut.toPath, whole.take(whole.length / 2))
    settle(new File(path("cut")))
    withConf("spark.sql.files.ignoreCorruptFiles" -> "true") {
      def frame = spark.read.schema("id BIGINT, hash BIGINT").json(path("cut"))
      val outcome = indexed("cut", frame, "id")
      assert(outcome.files == 1 && outcome.skipped == 1)
      for (id <- Seq(3, 1003)) assertSameRows(frame.where(s"id = $id"), id.toString)
    }
  }

  test("changed, replaced and appended files are read themselves until a refresh") {
    files("stale")
    def query(id: Int) = read("stale").where(s"id = $id").select("id")
    indexed("stale", read("stale"), "id")
    lines("stale", "0.csv", "id;name;at", "500;z;", "501;z;", "502;z;")
    lines("stale", "new.csv", "id;name;at", "600;z;")
    lines(
      "stale",
      "1.csv",
      "id;name;at",
      "30;a1;2024-03-10 02:30:00",
      "31;- ;2024-03-10 12:00:01")
      .setLastModified(1700000060000L)
    new File(path("stale"), "3.csv").delete()
    for (_ <- 0 until 2) {
      for ((id, files) <- Seq(500 -> 1, 600 -> 1, 30 -> 1, 20 -> 1, 0 -> 0, 10 -> 0)) {
        assert(rows(query(id)).size == files, id)
        assertSameRows(query(id), id.toString)
      }
      read("stale").createOrReplaceTempView("stale")
      assert(IndexCommand.run(spark, IndexRequest.refresh("stale")).skipped == 0)
    }
    assert(keptFiles(query(600)) == 1 && keptFiles(query(0)) == 0)
  }

  test("a header that small splits read as a row is found as such a row") {
    lines("late_header", "0.csv", Seq.fill(20)("") ++ Seq("key", "x1", "x2"): _*)
    lines("late_header", "1.csv", "key", "x3")
    def frame = spark.read.option("header", "true").schema("key STRING").csv(path("late_header"))
    assert(indexed("late_header", frame, "key").files == 2)
    withConf(
      "spark.sql.files.maxPartitionBytes" -> "6",
      "spark.sql.files.openCostInBytes" -> "0") {
      def query = frame.where("key = 'key'")
      assert(oracle(query) == Seq("[key]") && rows(query) == Seq("[key]"))
    }
    assert(keptFiles(frame.where("key = 'x3'")) == 1)
  }

  test("a separator of several bytes is refused, because splits find other lines") {
    lines("separated", "0.txt", "a||b||c")
    spark.read
      .option("lineSep", "||")
      .text(path("separated"))
      .createOrReplaceTempView("separated")
    val e = intercept[IllegalArgumentException](index("separated", "value"))
    assert(e.getMessage.contains("lineSep"))
  }

  test("the stripes of an ORC file that an index keeps are pruned by their own evidence") {
    spark
      .range(0, 20000, 1, 2)
      .selectExpr("id", "xxhash64(id) AS hash")
      .write
      .option("orc.stripe.size", "10000")
      .option("orc.row.index.stride", "1000")
      .orc(path("stripes"))
    settle(new File(path("stripes")))
    assert(index(path("stripes"), "hash").files == 2)
    def query = spark.read.orc(path("stripes")).where("hash = xxhash64(42L) AND id = 42")
    val found = pruning(query).get
    assert(found.isIndexed && found.keptFiles == 1 && found.keptRowGroups < found.rowGroups)
    assertSameRows(query, "stripes")
    assert(keptFiles(spark.read.orc(path("stripes")).where("hash = 5")) == 0)
  }

  test("a query that sees how files are split reads all files") {
    files("seen")
    indexed("seen", read("seen"), "id")
    val query = read("seen").where("id = 10").selectExpr("_metadata")
    assert(pruning(query).isEmpty && query.count() == 1)
  }
}
