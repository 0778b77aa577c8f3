package io.sbbf.spark.index

import java.io.File
import java.nio.file.{Files => Disk, Paths}

import org.apache.spark.sql.DataFrame

import io.sbbf.parquet.model.Evidence
import io.sbbf.spark.command.Command
import io.sbbf.spark.testing.SparkSuite

/** Builds indexes of functions of texts, and compares queries with those without pruning. */
class TextIndexSuite extends SparkSuite {
  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  private val Rows = 1000L
  private val Files = 10

  private def settle(table: String): Unit =
    new File(table).listFiles.foreach(_.setLastModified(1700000000000L))

  private def write(name: String, dictionary: Boolean = false, from: Long = 0): String = {
    val rows = spark
      .range(from, from + Rows, 1, Files)
      .selectExpr(
        "id",
        """CASE WHEN id % 50 = 49 THEN NULL
          |  WHEN id = 321 THEN 'Straße 321 gesperrt'
          |  ELSE concat('worker-', id % 7, ' [error] code=E', id, ' user ', hash(id), '.') END
          |  AS message""".stripMargin,
        "concat('User', id, '@Example.ORG') AS email",
        "named_struct('note', concat('note ', id)) AS st"
      )
    val table = saved(name, rows, Map("parquet.enable.dictionary" -> dictionary.toString))
    settle(table)
    table
  }

  private def index(table: String, columns: String*): IndexOutcome =
    IndexCommand.run(spark, IndexRequest.create(table, columns))

  private def where(table: String, condition: String): DataFrame =
    spark.read.parquet(table).where(condition)

  private lazy val table: String = {
    val path = write("texts")
    index(path, "tokens(message)", "NGRAMS(message, 8)", "lower(email)", "id", "tokens(st.note)")
    path
  }

  test("words, substrings and lowered texts plan only the files that hold them") {
    // condition; files kept
    for ((condition, files) <- Seq(
        "message LIKE '% code=E777 %'" -> 1,
        "message LIKE '%code=E777 %'" -> 1,
        "message LIKE '%=E7770 %'" -> 0,
        "contains(message, ' user ') AND message LIKE '%[error] code=E12 %'" -> 1,
        "contains(message, 'code=E123 ')" -> 1,
        "contains(message, 'de=E4567')" -> 0,
        "message LIKE 'worker-3%code=E360 %'" -> 1,
        "message LIKE '%wörker-3%'" -> 0,
        "message LIKE 'Straße %'" -> 1,
        "message LIKE '%aße 321 gesp%'" -> 1,
        "endswith(message, concat('user ', hash(55L), '.'))" -> 1,
        "message = 'none of these'" -> 0,
        "lower(email) = 'user42@example.org'" -> 1,
        "lower(email) IN ('user42@example.org', 'user999@example.org', 'x')" -> 2,
        "lower(email) = 'User42@example.org'" -> 0,
        "st.note LIKE '% 77'" -> 1,
        "st.note LIKE '% 77_'" -> Files,
        "message LIKE '% E777 %' OR lower(email) = 'user1@example.org'" -> 2,
        "message NOT LIKE '% E777 %'" -> Files,
        "message LIKE '%E7%'" -> Files
      )) {
      val query = where(table, condition)
      val found = pruning(query)
      assert(found.fold(Files)(_.keptFiles) == files, condition)
      assert(rows(query) == oracle(where(table, condition)), condition)
      if (files < Files) assert(found.get.refutedBy.contains(Evidence.Index), condition)
      if (files == 0) assert(found.get.filesOpened == 0, condition)
    }
  }

  test(
    "a predicate that only keys decide opens no file without them, and is reported as before") {
    val bare = write("bare")
    val condition = "message LIKE '% code=E777 %'"
    assert(pruning(where(bare, condition)).isEmpty)
    index(bare, "id")
    assert(pruning(where(bare, condition)).isEmpty)
    index(bare, "tokens(email)")
    val other = pruning(where(bare, condition)).get
    assert(other.keptFiles == Files && other.filesOpened == 0)
    index(bare, "tokens(message)")
    assert(pruning(where(bare, condition)).get.keptFiles == 1)
    withConf("spark.sbbf.index.enabled" -> "false") {
      assert(pruning(where(bare, condition)).isEmpty)
    }
    IndexCommand.drop(spark, bare)
    assert(pruning(where(bare, condition)).isEmpty)
  }

  test("a refresh and a merge keep the keys of functions, from dictionaries as well") {
    val grown = write("grown", dictionary = true)
    index(grown, "tokens(message)", "lower(email)")
    for (n <- 1 to 8) {
      val more = write(s"more$n", from = n * Rows)
      val part = new File(more).listFiles.filter(_.getName.endsWith(".parquet")).minBy(_.getName)
      Disk.move(part.toPath, Paths.get(grown, s"more-$n.parquet"))
      settle(grown)
      IndexCommand.run(spark, IndexRequest.refresh(grown))
    }
    val infos = IndexCommand.info(spark, grown)
    assert(infos.map(_.getString(0)).toSet == Set("tokens(message)", "lower(email)"))
    infos.foreach(info => assert(info.getInt(1) == info.getInt(2) && info.getInt(3) < 8, info))
    for ((id, files) <- Seq(7L -> 1, 998L -> 1, 3 * Rows + 5 -> 1, 99999L -> 0);
      condition <- Seq(
        s"message LIKE '%code=E$id user%'",
        s"lower(email) = 'user$id@example.org'"))
      assert(pruning(where(grown, condition)).get.keptFiles == files, condition)
  }

  test("a dry run counts the keys of functions in some files") {
    val dry = IndexCommand.run(
      spark,
      IndexRequest.create(write("dry"), Seq("tokens(message)"), isDryRun = true))
    val built = index(path("dry"), "tokens(message)")
    assert(dry.segment.isEmpty && built.entries > 2 * Rows)
    assert(dry.entries > built.entries / 2 && dry.entries < built.entries * 2)
  }

  test("what cannot be indexed is an error that says why") {
    val wrong = write("wrong")
    for ((column, message) <- Seq(
        "soundex(message)" -> "unknown function 'soundex'",
        "ngrams(message, 4)" -> "grams of 5 to 32 bytes",
        "tokens(id)" -> "'tokens(id)' of",
        "lower(id)" -> "it is no STRING column",
        "tokens(nothing)" -> "tokens(nothing)"
      )) {
      val e = intercept[IllegalArgumentException](index(wrong, column))
      assert(e.getMessage.contains(message), column)
    }
    val zones = Map("table" -> wrong, "columns" -> "[\"tokens(message)\"]", "kind" -> "bloom")
    val e =
      intercept[IllegalArgumentException](Command.named("create_index").run(spark, zones))
    assert(e.getMessage.contains("tokens(message) can have keys, and no filters of zones"))
    assert(!new File(wrong, "_sbbf").exists)
    val twice = index(wrong, "tokens(message)", " TOKENS( message )")
    assert(twice.keys > 0 && IndexCommand.info(spark, wrong).size == 1)
  }

  test("a join on a text, and a subquery, search the keys of functions") {
    import spark.implicits._
    Seq("user5@example.org", "user6@example.org").toDF("lowered").write.parquet(path("mails"))
    spark.read.parquet(path("mails")).createOrReplaceTempView("mails")
    spark.read.parquet(table).createOrReplaceTempView("texts")
    val query =
      spark.sql("SELECT id FROM texts WHERE lower(email) = (SELECT max(lowered) FROM mails)")
    assert(query.collect().map(_.getLong(0)).toSeq == Seq(6L))
    assert(prunings(query).head.keptFiles == 1)
  }
}
