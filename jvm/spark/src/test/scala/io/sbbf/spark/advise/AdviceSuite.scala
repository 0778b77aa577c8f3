package io.sbbf.spark.advise

import java.io.File
import java.nio.file.{Files => NioFiles}

import scala.util.Random

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.append.{AddFiltersJob, FilterRequests}
import io.sbbf.spark.files.QueryHistory
import io.sbbf.spark.formats.Formats
import io.sbbf.spark.index.{IndexCommand, IndexRequest}
import io.sbbf.spark.scan.PointLookupStats
import io.sbbf.spark.testing.SparkSuite
import io.sbbf.spark.util.CommandOptions

class AdviceSuite extends SparkSuite {
  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  private val seed = sys.env.get("SBBF_SEED").fold(new Random().nextLong())(_.toLong)
  info(s"SBBF_SEED=$seed")

  private val Files = 8
  private val Rows = 40000

  /** Writes eight files of one row group each; `pair` has each value in two of them. */
  private def write(name: String, options: (String, String)*): String = {
    val rows = spark
      .range(0, Rows, 1, Files)
      .selectExpr(
        "id",
        "xxhash64(id) AS key",
        s"xxhash64(id % ${Rows / 2}) AS pair",
        "concat('user-', hash(id)) AS name",
        "cast(id % 7 AS int) AS few",
        "xxhash64(id % 1000) AS spread",
        "named_struct('Key', xxhash64(id, 1)) AS st",
        "cast(null AS bigint) AS nothing",
        "id % 2 = 0 AS flag"
      )
    saved(name, rows, options.toMap)
  }

  private val plain = "parquet.enable.dictionary" -> "false"
  private lazy val table = write("plain", plain)

  private def requested(path: String, options: (String, String)*): AdviceRequest =
    AdviceRequest.of(
      CommandOptions.of("advise", AdviceRequest.Options, options.toMap + ("table" -> path)))

  private def advice(path: String, options: (String, String)*): Seq[ColumnAdvice] =
    new AdviceJob(spark, requested(path, options: _*)).run()

  private def of(path: String, column: String, options: (String, String)*): ColumnAdvice =
    advice(path, options: _*).find(_.evidence.column == column).get

  private def rowGroups(query: DataFrame): Double =
    pruning(query).map(_.keptRowGroups.toDouble).getOrElse(0.0)

  /**
   * Returns the row groups that lookups really keep, for present and for absent values. It probes
   * many absent values, because the filters of files with the same values err together.
   */
  private def measured(path: String, column: String): (Double, Double) = {
    val all = spark.read.parquet(path)
    val values = all.select(column).distinct().sample(0.2, seed).limit(25).collect().map(_.get(0))
    def mean(keys: Seq[Any]): Double =
      keys.map(value => rowGroups(all.where(all(column) === value))).sum / keys.size
    val random = new Random(seed)
    (mean(values.toSeq), mean(Seq.fill(TestFiles.times(200, fewest = 50))(random.nextLong())))
  }

  private def assertNear(estimate: Double, real: Double, what: String): Unit =
    assert(math.abs(estimate - real) <= 0.4 + 0.1 * real, s"$what: $estimate, but it was $real")

  test(
    "an index pays in tables of many row groups, for columns whose values are looked up",
    TestFiles.FullRun) {
    // row groups, NDV of each, advice; bits a value, whether the index pays
    for ((rowGroups, ndv, advice, bits, pays) <- Seq[(Double, Double, Advice, Long, Boolean)](
        (3999, 1000, Advice.Add, 27, false),
        (4000, 1000, Advice.Add, 27, true),
        (4000, 1000, Advice.Keep, 27, true),
        (40000, 1000, Advice.Replace, 31, true),
        (40000, 1000, Advice.MinMax, 31, false),
        (40000, 1000, Advice.Dictionary, 31, false),
        (400000, 5000, Advice.None, 34, false)
      )) {
      val cost = IndexCost.of(rowGroups, ndv, advice)
      assert(
        cost.bytes * 8 == rowGroups * ndv * bits && cost.pays == pays,
        s"$rowGroups, $advice")
    }
    val built = write("index-cost", plain)
    val estimate = of(built, "key").index
    val done = IndexCommand.run(spark, IndexRequest.create(built, Seq("key")))
    assert(math.abs(estimate.bytes - done.bytes) < done.bytes / 4 && !estimate.pays)
  }

  test("the estimate for lookups equals what pruning does, before and after filters are added") {
    for (column <- Seq("key", "pair", "spread")) {
      val copy = write(s"estimate-$column", plain)
      val estimate = of(copy, column, "fpp" -> "0.05")
      val (present, absent) = measured(copy, column)
      assertNear(estimate.kept.now.present, present, s"$column now, there")
      assertNear(estimate.kept.now.absent, absent, s"$column now, not there")
      val request = Map(
        "table" -> copy,
        s"parquet.bloom.filter.enabled#$column" -> "true",
        s"parquet.bloom.filter.fpp#$column" -> "0.05")
      val outcomes = new AddFiltersJob(spark, FilterRequests.of(request)).run()
      val written = outcomes.map(_.filterBytes).sum
      assert(written <= 2 * estimate.newFilterBytes && estimate.newFilterBytes <= 2 * written)
      val (filteredPresent, filteredAbsent) = measured(copy, column)
      assertNear(estimate.keptThen.present, filteredPresent, s"$column then, there")
      assertNear(estimate.keptThen.absent, filteredAbsent, s"$column then, not there")
      val again = of(copy, column, "fpp" -> "0.05")
      val headers = again.evidence.filterBytes - written
      assert(again.evidence.filters == Files && headers > 0 && headers < 32 * Files)
      assertNear(again.kept.now.present, filteredPresent, s"$column with its filters, there")
      assertNear(again.kept.now.absent, filteredAbsent, s"$column with its filters, not there")
    }
  }

  test("each column gets the advice that fits its values") {
    val found = advice(table).map(a => a.evidence.column -> a).toMap
    val wanted = Map(
      "id" -> Advice.MinMax,
      "key" -> Advice.Add,
      "pair" -> Advice.Add,
      "name" -> Advice.Add,
      "st.Key" -> Advice.Add,
      "few" -> Advice.Sort,
      "spread" -> Advice.Sort,
      "nothing" -> Advice.None,
      "flag" -> Advice.None
    )
    assert(found.map { case (column, a) => column -> a.advice } == wanted)
    assert(found.values.forall(!_.reason.contains("offset index")), "parquet-mr writes them")
    val evidence = found.map { case (column, a) => column -> a.evidence }
    assert(evidence("key").containing == 1 && math.abs(evidence("pair").containing - 2) < 0.1)
    assert(evidence("spread").containing == Files && evidence("few").ndv == 7)
    assert(math.abs(evidence("key").ndv / Rows - 1) < 0.1 && evidence("spread").ndv == 1000)
    assert(found("flag").kept.now == LookupCost(Files, Files) && evidence("flag").sampled == 0)
    assert(found("nothing").kept.now == LookupCost(0, 0))
    assert(found("id").kept.sorted <= 1.1 && found("few").kept.sorted < 2.2)
    assert(found.keys.filter(c => evidence(c).sampled != Files).toSet == Set("flag", "nothing"))
  }

  test("the text of a plan shows all columns of the advice") {
    assert(ColumnAdvice.Fields.schema.size <= spark.sessionState.conf.maxToStringFields)
  }

  test("dictionaries that hold all values get the advice dictionary") {
    val few = of(write("dictionary"), "few")
    assert(few.advice == Advice.Dictionary && few.evidence.dictionaries == Files)
    val bytes = few.evidence.dictionaryBytes
    assert(bytes > 0 && few.reason.replace(",", "").startsWith(s"dictionaries of $bytes bytes "))
    assert(few.kept.now.absent == 0 && few.kept.now.present == Files)
  }

  test("a column that some files or row groups lack counts where it has values") {
    val grown = path("grown")
    write("grown", plain)
    spark
      .range(0, 8000, 1, 2)
      .selectExpr("id + 100000 AS id", "xxhash64(id, 9) AS late", "cast(null AS bigint) AS key")
      .write
      .mode("append")
      .option(plain._1, plain._2)
      .parquet(grown)
    val late = of(grown, "late")
    assert(late.advice == Advice.Add && late.evidence.rowGroups == 2)
    assert(late.evidence.table.rowGroups == Files + 2 && late.evidence.containing == 1)
    val request = enable("key") + ("table" -> grown)
    new AddFiltersJob(spark, FilterRequests.of(request)).run()
    val key = of(grown, "key", "fpp" -> "0.01")
    assert(key.advice == Advice.Keep && key.evidence.filters == Files)
  }

  test("a sample that is too small names a size that is enough") {
    val clustered = path("clustered")
    spark
      .range(0, 60000, 1, 60)
      .selectExpr("floor(id / 4000) * 1000000 + pmod(xxhash64(id), 1000000) AS key")
      .write
      .option(plain._1, plain._2)
      .parquet(clustered)
    val few = of(clustered, "key", "row_groups" -> "6", "fpp" -> "0.01")
    assert(few.advice == Advice.Unknown && few.reason.contains("sample "))
    val enough = few.evidence.enoughRowGroups
    assert(enough > 6 && enough <= 60)
    val all = of(clustered, "key", "row_groups" -> "60", "fpp" -> "0.01")
    assert(math.abs(all.evidence.keptByBounds - 4) < 0.3 && all.evidence.containing < 1.1)
    assert(all.advice == Advice.Add)
  }

  test("oversized filters stay if min/max prune as well") {
    val sorted = withConf("spark.sbbf.enabled" -> "false") {
      write("sorted", plain, "parquet.bloom.filter.enabled#id" -> "true")
      path("sorted")
    }
    assert(of(sorted, "id").advice == Advice.MinMax)
  }

  test("filters beside dictionaries leave nothing to do") {
    val mixed = path("mixed")
    def keyed(values: String, options: (String, String)*) = spark
      .range(0, 8000, 1, 2)
      .selectExpr(s"$values AS key")
      .write
      .mode("append")
      .options(options.toMap)
      .parquet(mixed)
    val filter = "parquet.bloom.filter.enabled#key" -> "true"
    keyed("xxhash64(id % 300)", filter, "sbbf.bloom.filter.dictionary#key" -> "false")
    keyed("xxhash64(id)", filter, plain)
    val key = of(mixed, "key", "fpp" -> "0.01")
    assert(key.evidence.dictionaries == 2 && key.evidence.filters == 2)
    assert(key.kept.now.absent < 0.05 && key.advice == Advice.Keep)
  }

  test("a part of a large table represents the rest") {
    def some(column: String, files: Int): ColumnAdvice = {
      val request = requested(table, "fpp" -> "0.01")
      new AdviceJob(spark, request, mostFiles = files)
        .run()
        .find(_.evidence.column == column)
        .get
    }
    for (column <- Seq("id", "key", "spread")) {
      val (half, all) = (some(column, 4), some(column, Files))
      assert(half.advice == all.advice && half.evidence.rowGroups == Files, column)
      assertNear(half.kept.now.present, all.kept.now.present, column)
      assertNear(half.kept.now.absent, all.kept.now.absent, column)
      assertNear(half.kept.withMore.present, all.kept.withMore.present, column)
    }
  }

  test("full or oversized filters get the advice replace, and good ones stay") {
    def filtered(name: String, ndv: Int) = of(writtenBySpark(name, ndv), "key", "fpp" -> "0.01")
    val saturated = filtered("saturated", 100)
    assert(saturated.advice == Advice.Replace && saturated.evidence.existingFpp.exists(_ > 0.9))
    val oversized = filtered("oversized", 1000000)
    assert(
      oversized.advice == Advice.Replace && oversized.evidence.filterBytes > 4 * oversized.newFilterBytes)
    val good = filtered("good", Rows / Files)
    assert(good.advice == Advice.Keep && good.evidence.filters == Files)
  }

  test("full filters of a table with one row group stay, because better ones save too little") {
    val files = new File(writtenBySpark("single", 100)).listFiles.map(_.getPath)
    val full = of(files.filter(_.endsWith(".parquet")).head, "key", "fpp" -> "0.01")
    assert(full.advice == Advice.Keep && full.reason.contains("would save almost nothing"))
  }

  private def writtenBySpark(name: String, ndv: Int): String =
    withConf("spark.sbbf.enabled" -> "false") {
      write(
        name,
        plain,
        "parquet.bloom.filter.enabled#key" -> "true",
        "parquet.bloom.filter.expected.ndv#key" -> ndv.toString)
    }

  test("a sample of a few row groups gives about the same estimate as all of them") {
    for (column <- Seq("key", "pair", "spread")) {
      val (some, all) = (of(table, column, "row_groups" -> "4"), of(table, column))
      assert(some.evidence.sampled == 4 && all.evidence.sampled == Files)
      assertNear(
        some.evidence.containing,
        all.evidence.containing,
        s"$column: row groups with a value")
      assertNear(some.keptThen.present, all.keptThen.present, s"$column: with filters")
      assert(math.abs(some.evidence.ndv / all.evidence.ndv - 1) < 0.4, column)
    }
  }

  test("the lookups of queries weigh the columns, and a column without lookups gets no filter") {
    val all = spark.read.parquet(table)
    val queries = Seq(
      all.where("pair = 5"),
      all.where("pair IN (1, 2) AND id > 3"),
      all.where("st.Key = 7").select("id"),
      all.where("key = 1 OR rand() < 0.5"),
      spark.read.parquet(path("plain/")).where("name > 'x'"),
      spark.read.parquet(write("other")).where("key = 1")
    )
    val counts = PointLookupStats
      .of(queries.map(_.queryExecution), Seq(new Path(table)), Formats.all)
    assert(counts.map { case (c, n) => c.toString -> n } == Map("pair" -> 2L, "st.Key" -> 1L))
    queries.zipWithIndex.foreach { case (query, n) => query.createOrReplaceTempView(s"view$n") }
    val views = queries.indices.map(n => s"view$n").mkString(", ")
    val found = advice(table, "views" -> views)
    assert(found.take(2).map(_.evidence.column) == Seq("pair", "st.Key"))
    val key = found.find(_.evidence.column == "key").get
    assert(key.advice == Advice.None && key.lookups.contains(0L))
    val e = intercept[IllegalArgumentException](advice(table, "views" -> "view5"))
    assert(e.getMessage.startsWith("no query looks up a value in the files of"))
  }

  test("the history of each session counts the columns of its own queries") {
    val session = spark.newSession()
    session.read.parquet(table).where("key = 42 AND pair = 3").count()
    session.read.parquet(table).where("key = 42").count()
    def history(session: SparkSession, path: String) =
      QueryHistory.of(session, Seq(new Path(path))).map { case (c, n) => c.toString -> n }
    assert(history(session, table) == Map("key" -> 2L, "pair" -> 1L))
    assert(history(session, s"file:$table") == Map("key" -> 2L, "pair" -> 1L))
    assert(history(spark.newSession(), table).isEmpty)
    assert(history(session, path("els")).isEmpty && history(session, s"s3a://$table").isEmpty)
  }

  test("the catalog returns the advice as a table") {
    val rows = spark.read
      .option("fpp", "0.001")
      .option("columns", "key, st.Key")
      .table(s"sbbf.advice.`$table`")
    assert(rows.schema == ColumnAdvice.Fields.schema)
    val found = rows.select("path_in_schema", "advice").collect().toSet
    assert(found == Set(Row("key", "add"), Row("st.Key", "add")))
  }

  test("an invalid request fails before anything is read") {
    val wrong = Seq(
      Seq("fpp" -> "2") -> "fpp must be between 0 and 1, both excluded, or auto, but was '2'",
      Seq("history" -> "yes") -> "history must be true or false, but was 'yes'",
      Seq("history" -> "true", "views" -> "v") -> "queries (views) and history cannot both",
      Seq("row_groups" -> "1") -> "row_groups must be from 4 to 1000000, but was '1'",
      Seq(
        "sample" -> "5") -> "advise has no option 'sample'; its options are table, columns, fpp, row_groups, history, views",
      Seq("columns" -> """["nope"]""") -> s"no file of $table has 'nope'"
    )
    for ((options, message) <- wrong) {
      val e = intercept[IllegalArgumentException](advice(table, options: _*))
      assert(e.getMessage.contains(message))
    }
    val e = intercept[IllegalArgumentException](advice(path("absent")))
    assert(e.getMessage.contains("no file or folder"))
  }

  test("an unreadable file is skipped, and is an error if there is no other") {
    val damaged = write("damaged", plain)
    val (sums, data) = new File(damaged).listFiles.toSeq.partition(_.getName.endsWith(".crc"))
    sums.foreach(_.delete())
    val Seq(first, others @ _*) = data.filter(_.getName.endsWith(".parquet"))
    def damage(file: File) = NioFiles.write(file.toPath, new Array[Byte](100))
    damage(first)
    // assumed to be like the others
    assert(of(damaged, "key").evidence.rowGroups == Files)
    others.foreach(damage(_))
    val e = intercept[IllegalArgumentException](advice(damaged))
    assert(e.getMessage.startsWith("no file could be read: file:"))
    assert(e.getMessage.endsWith(": not a Parquet file"))
  }
}
