package io.sbbf.spark.advise

import java.io.File
import java.nio.file.{Files => NioFiles}

import scala.util.Random

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, Row}

import io.sbbf.spark.SparkSuite
import io.sbbf.spark.attach.{AttachJob, AttachRequest}
import io.sbbf.spark.plan.{Lookups, PrunedScan}

class AdviceSuite extends SparkSuite {
  private val seed = sys.env.get("SBBF_SEED").fold(new Random().nextLong())(_.toLong)
  info(s"SBBF_SEED=$seed")

  private val Files = 8
  private val Rows = 40000

  /** Eight files of one row group each; `pair` has each value in two of them. */
  private def write(name: String, options: (String, String)*): String = {
    spark
      .range(0, Rows, 1, Files)
      .selectExpr(
        "id",
        "xxhash64(id) AS key",
        s"xxhash64(id % ${Rows / 2}) AS pair",
        "concat('user-', hash(id)) AS name",
        "cast(id % 7 AS int) AS few",
        "xxhash64(id % 1000) AS spread",
        "named_struct('key', xxhash64(id, 1)) AS st",
        "cast(null AS bigint) AS nothing",
        "id % 2 = 0 AS flag"
      )
      .write
      .options(options.toMap)
      .parquet(path(name))
    path(name)
  }

  private val plain = "parquet.enable.dictionary" -> "false"
  private lazy val table = write("plain", plain)

  private def advice(
      path: String,
      lookups: Option[Lookups.Counts],
      options: (String, String)*): Seq[ColumnAdvice] =
    new AdviceJob(spark, AdviceRequest.parse(options.toMap + ("path" -> path), lookups)).run()

  private def of(path: String, column: String, options: (String, String)*): ColumnAdvice =
    advice(path, None, options: _*).find(_.column == column).get

  private def rowGroups(query: DataFrame): Double = {
    val plan = query.queryExecution.optimizedPlan
    val kept = plan.collect { case PrunedScan(_, index) => index.selection.get.keptRowGroups }
    kept.headOption.map(_.toDouble).getOrElse(0.0)
  }

  /** What lookups really keep: of values that are there, and of others. */
  private def measured(path: String, column: String): (Double, Double) = {
    val all = spark.read.parquet(path)
    val values = all.select(column).distinct().sample(0.2, seed).limit(25).collect().map(_.get(0))
    def mean(asked: Seq[Any]): Double =
      asked.map(value => rowGroups(all.where(all(column) === value))).sum / asked.size
    val random = new Random(seed)
    (mean(values.toSeq), mean(Seq.fill(25)(random.nextLong())))
  }

  private def assertNear(foretold: Double, real: Double, what: String): Unit =
    assert(math.abs(foretold - real) <= 0.3 + 0.1 * real, s"$what: $foretold, but it was $real")

  test("what is foretold of lookups is what pruning does, before filters are there and after") {
    for (column <- Seq("key", "pair", "spread")) {
      val copy = write(s"foretold-$column", plain)
      val foretold = of(copy, column, "fpp" -> "0.05")
      val (present, absent) = measured(copy, column)
      assertNear(foretold.keptNow.present, present, s"$column now, there")
      assertNear(foretold.keptNow.absent, absent, s"$column now, not there")
      val attach = Map(
        "path" -> copy,
        s"parquet.bloom.filter.enabled#$column" -> "true",
        s"parquet.bloom.filter.fpp#$column" -> "0.05")
      val outcomes = new AttachJob(spark, AttachRequest.parse(attach)).run()
      val written = outcomes.map(_.filterBytes).sum
      assert(written <= 2 * foretold.cost.bytes && foretold.cost.bytes <= 2 * written)
      val (filteredPresent, filteredAbsent) = measured(copy, column)
      assertNear(foretold.keptThen.present, filteredPresent, s"$column then, there")
      assertNear(foretold.keptThen.absent, filteredAbsent, s"$column then, not there")
      val again = of(copy, column, "fpp" -> "0.05")
      val headers = again.filterBytes - written
      assert(again.filters == Files && headers > 0 && headers < 32 * Files)
      assertNear(again.keptNow.present, filteredPresent, s"$column with its filters, there")
      assertNear(again.keptNow.absent, filteredAbsent, s"$column with its filters, not there")
    }
  }

  test("each column gets the advice that fits what it holds") {
    val found = advice(table, None).map(a => a.column -> a).toMap
    val wanted = Map(
      "id" -> "min/max",
      "key" -> "attach",
      "pair" -> "attach",
      "name" -> "attach",
      "st.key" -> "attach",
      "few" -> "sort",
      "spread" -> "sort",
      "nothing" -> "none",
      "flag" -> "none"
    )
    assert(found.map { case (column, a) => column -> a.advice } == wanted)
    assert(found("key").holding == 1 && math.abs(found("pair").holding - 2) < 0.1)
    assert(found("spread").holding == Files && found("few").distinct == 7)
    assert(math.abs(found("key").distinct / Rows.toDouble - 1) < 0.1)
    assert(found("spread").distinct == 1000)
    assert(found("flag").keptNow == Kept(Files, Files) && found("flag").sampled == 0)
    assert(found("nothing").keptNow == Kept(0, 0))
    assert(found("id").keptSorted <= 1.1 && found("few").keptSorted < 2.2)
    assert(
      found.values.forall(a => a.rowGroups == Files && a.sampled == Files || a.column == "flag"))
  }

  test("dictionaries that hold all values are said to be enough") {
    val few = of(write("dictionary"), "few")
    assert(few.advice == "dictionary" && few.dictionaries == Files && few.dictionaryBytes > 0)
    assert(few.keptNow.absent == 0 && few.keptNow.present == Files)
  }

  test("filters that are too full or far too large are to be replaced, good ones stay") {
    def filtered(name: String, ndv: Int) = of(writtenByStock(name, ndv), "key", "fpp" -> "0.01")
    val saturated = filtered("saturated", 100)
    assert(saturated.advice == "replace" && saturated.filterFpp.exists(_ > 0.9))
    val oversized = filtered("oversized", 1000000)
    assert(oversized.advice == "replace" && oversized.filterBytes > 4 * oversized.cost.bytes)
    val good = filtered("good", Rows / Files)
    assert(good.advice == "keep" && good.filters == Files)
  }

  private def writtenByStock(name: String, ndv: Int): String =
    withConf("spark.sbbf.enabled" -> "false") {
      write(
        name,
        plain,
        "parquet.bloom.filter.enabled#key" -> "true",
        "parquet.bloom.filter.expected.ndv#key" -> ndv.toString)
    }

  test("a sample of a few row groups foretells about the same as all of them") {
    for (column <- Seq("key", "pair", "spread")) {
      val (some, all) = (of(table, column, "row_groups" -> "4"), of(table, column))
      assert(some.sampled == 4 && all.sampled == Files)
      assertNear(some.holding, all.holding, s"$column: row groups that hold a value")
      assertNear(some.keptThen.present, all.keptThen.present, s"$column: with filters")
      assert(math.abs(some.distinct.toDouble / all.distinct - 1) < 0.25, column)
    }
  }

  test("the lookups of queries weigh the columns, and one that nobody asks for gets no filter") {
    val all = spark.read.parquet(table)
    val queries = Seq(
      all.where("pair = 5"),
      all.where("pair IN (1, 2) AND id > 3"),
      all.where("st.key = 7").select("id"),
      spark.read.parquet(path("plain/")).where("name > 'x'"),
      spark.read.parquet(write("other")).where("key = 1")
    )
    val roots = Seq(new Path(table))
    val counts = Lookups.of(queries.map(_.queryExecution), roots)
    assert(counts.map { case (c, n) => c.toString -> n } == Map("pair" -> 2L, "st.key" -> 1L))
    val found = advice(table, Some(counts))
    assert(found.take(2).map(_.column) == Seq("pair", "st.key"))
    assert(
      found.find(_.column == "key").exists(a => a.advice == "none" && a.lookups.contains(0L)))
  }

  test("the queries of a session are remembered by their columns, each session's by itself") {
    val session = spark.newSession()
    session.read.parquet(table).where("key = 42 AND pair = 3").count()
    session.read.parquet(table).where("key = 42").count()
    val roots = Seq(new Path(table))
    val counts = Lookups.ofHistory(session, roots).map { case (c, n) => c.toString -> n }
    assert(counts == Map("key" -> 2L, "pair" -> 1L))
    assert(Lookups.ofHistory(spark.newSession(), roots).isEmpty)
    assert(Lookups.ofHistory(session, Seq(new Path(path("els")))).isEmpty)
  }

  test("the catalog gives the advice as a table") {
    val rows = spark.read
      .option("fpp", "0.001")
      .option("parquet.bloom.filter.enabled#key", "true")
      .table(s"sbbf.advice.`$table`")
    assert(rows.schema == ColumnAdvice.Schema)
    val Seq(Row(column: String, advice: String)) = rows.select("column", "advice").collect().toSeq
    assert(column == "key" && advice == "attach")
  }

  test("what is wrong with a request is said before anything is read") {
    val wrong = Seq(
      Seq("fpp" -> "2") -> "fpp must be between 0 and 1, both excluded, or auto, but was '2'",
      Seq("row_groups" -> "1") -> "row_groups must be at least 2, but was '1'",
      Seq("sample" -> "5") -> "'sample' says nothing here: there are path, fpp, row_groups",
      Seq("parquet.bloom.filter.enabled#nope" -> "true") -> s"no file of $table has 'nope'"
    )
    for ((options, message) <- wrong) {
      val e = intercept[IllegalArgumentException](advice(table, None, options: _*))
      assert(e.getMessage.contains(message))
    }
    val e = intercept[IllegalArgumentException](advice(path("absent"), None))
    assert(e.getMessage.contains("there is no file or folder"))
  }

  test("a file that cannot be read is left out, and an error where there is no other") {
    val damaged = write("damaged", plain)
    val (sums, data) = new File(damaged).listFiles.toSeq.partition(_.getName.endsWith(".crc"))
    sums.foreach(_.delete())
    val Seq(first, others @ _*) = data.filter(_.getName.endsWith(".parquet"))
    def damage(file: File) = NioFiles.write(file.toPath, new Array[Byte](100))
    damage(first)
    assert(of(damaged, "key").rowGroups >= Files - 1)
    others.foreach(damage(_))
    val e = intercept[IllegalArgumentException](advice(damaged, None))
    assert(e.getMessage == "no file could be looked at: not a Parquet file")
  }
}
