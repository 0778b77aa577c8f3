package io.sbbf.spark.scan

import java.io.File
import java.nio.file.Files

import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.logging.log4j.core.config.Configurator
import org.apache.logging.log4j.{Level, LogManager}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.sbbf.parquet.prune.FooterCache
import io.sbbf.spark.append.{AddFiltersJob, AddFiltersOutcome, FilterRequests}
import io.sbbf.spark.report.PruneReport
import io.sbbf.spark.testing.{Logged, SparkSuite, TestKms}

/** Reads encrypted tables in sessions with and without keys, all on one driver. */
class EncryptedScanSuite extends SparkSuite {

  private val numRows = 800
  private val schema = "id BIGINT, open BIGINT, name STRING"

  private def session(entries: Map[String, String]): SparkSession = {
    val other = spark.newSession()
    entries.foreach { case (key, value) => other.conf.set(key, value) }
    other
  }
  private lazy val holder = session(TestKms.conf("holder"))
  private lazy val half = session(TestKms.conf("half"))
  private lazy val eve = session(TestKms.conf("eve"))
  private lazy val stranger = session(Map.empty)

  private val columnKeys = "parquet.encryption.column.keys" -> "kId:id;kName:name"
  private val footerKey = "parquet.encryption.footer.key" -> "kFooter"
  private val plainFooter = "parquet.encryption.plaintext.footer" -> "true"
  private val ctr = "parquet.encryption.algorithm" -> "AES_GCM_CTR_V1"

  private lazy val plain = table("plain")
  private lazy val closed = table("closed", columnKeys, footerKey)
  private lazy val legacy = table("legacy", columnKeys, footerKey, plainFooter)

  /** Writes two files with a row group for each hundred rows; the ids are even and shuffled. */
  private def table(name: String, options: (String, String)*): String = {
    val rows = holder
      .range(0, numRows, 1, 2)
      .selectExpr(
        s"id * 7 % $numRows * 2 AS id",
        s"id * 7 % $numRows * 2 AS open",
        s"concat('name ', id * 7 % $numRows % 10) AS name")
    val filters = filterOptions(Seq("id", "open"), ndv = 100)
    saved(name, rows, filters ++ options + ("parquet.block.size" -> "1"))
  }

  private def lookup(in: SparkSession, table: String, where: String): DataFrame =
    in.read.schema(schema).parquet(table).where(where)

  private def report(query: DataFrame): JsonNode =
    new ObjectMapper().readTree(PruneReport.of(query.queryExecution).json).get("scans").get(0)

  private def found(query: DataFrame): Seq[JsonNode] = {
    val scan = report(query)
    Seq("files_kept", "row_groups", "row_groups_kept", "refuted_by", "kept_because").map(scan.get)
  }

  private def inspected(in: SparkSession, table: String): Seq[String] =
    rows(in.read.format("sbbf").load(table).drop("file_name"))

  /** Returns the rows, or the class and the message of the root cause. */
  private def outcome(query: DataFrame): Either[String, Seq[String]] =
    Try(rows(query)).toEither.left.map { e =>
      val causes = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq
      s"${causes.last.getClass.getName}: ${causes.last.getMessage}"
    }

  /** Runs `body` without Spark's log of expected failures of tasks. */
  private def quietly[T](body: => T): T = {
    Configurator.setLevel("org.apache.spark", Level.OFF)
    try body
    finally Configurator.setLevel("org.apache.spark", Level.ERROR)
  }

  private def sparkAlone(in: SparkSession)(query: => DataFrame): Either[String, Seq[String]] = {
    in.conf.set("spark.sbbf.enabled", "false")
    try outcome(query)
    finally in.conf.unset("spark.sbbf.enabled")
  }

  private val predicates =
    (0 until 16).map(v => s"id = ${v * 101}") ++ (0 until 8).map(v => s"open = ${v * 211}") ++
      Seq("name = 'name 3'", "name = 'name 33'", "id < 0", "id IN (3, 5, 400)", "name IS NULL") ++
      (0 until 4).map(v => s"name = 'name 33' OR id = ${v * 7}")

  test("a table read with its keys is pruned as if it were not encrypted.") {
    val tables = Seq(closed, legacy) ++
      Seq(Seq(ctr), Seq(ctr, plainFooter)).map(more =>
        table(s"ctr${more.size}", columnKeys +: footerKey +: more: _*))
    for (where <- predicates) {
      val twin = lookup(holder, plain, where)
      val (expected, expectedRows) = (found(twin), rows(twin))
      for (encrypted <- tables) {
        val query = lookup(holder, encrypted, where)
        assert(found(query) == expected, s"$encrypted: $where")
        assert(rows(query) == expectedRows, s"$encrypted: $where")
      }
    }
    val present = report(lookup(holder, closed, "id = 400"))
    assert(present.get("row_groups").asInt == 8 && present.get("row_groups_kept").asInt < 4)
  }

  test("a table with the footer's key for every column is pruned as well.") {
    val uniform = table("uniform", "parquet.encryption.uniform.key" -> "kFooter")
    for (where <- predicates)
      assert(found(lookup(holder, uniform, where)) == found(lookup(holder, plain, where)))
  }

  test("pages of encrypted columns are left out, in jobs and without one.") {
    val pages = Map("parquet.page.row.count.limit" -> "100")
    val wide = holder
      .range(0, 4000, 1, 1)
      .selectExpr(
        "id * 7 % 4000 AS id",
        "id AS open",
        "concat_ws(' ', 'name', xxhash64(id), xxhash64(id, 1), xxhash64(id, 2)) AS name")
    val tables = Seq(Seq(), Seq(plainFooter), Seq(ctr)).map(more =>
      saved(
        s"paged${more.headOption.fold("")(_._2)}",
        wide,
        pages ++ more + columnKeys + footerKey))
    for {
      table <- tables
      where <- Seq("id = 1234", "id IN (1, 2500)", "open = 77", "id % 1000 = 1")
      isLocal <- Seq("true", "false")
    } {
      holder.conf.set("spark.sbbf.pages.minBytes", "0")
      holder.conf.set("spark.sbbf.localLookup.enabled", isLocal)
      val query = lookup(holder, table, where)
      try assert(outcome(query) == sparkAlone(holder)(lookup(holder, table, where)))
      finally
        Seq("pages.minBytes", "localLookup.enabled").foreach(n =>
          holder.conf.unset(s"spark.sbbf.$n"))
      val skipped = query.queryExecution.executedPlan.collectLeaves().collect {
        case scan: FileSourceScanExec => scan.metrics("sbbf: rows skipped in pages").value
      }
      assert(skipped.sum > 3000, s"$table: $where")
    }
  }

  test("a query without keys, or with a denied key, does what Spark alone does.")(quietly {
    for {
      in <- Seq(stranger, eve, half)
      table <- Seq(closed, legacy)
      where <- Seq("id = 400", "id = 401", "open = 400", "open = 401", "name = 'name 33'")
      columns <- Seq(Seq("id", "open"), Seq("open"))
    } {
      def query = lookup(in, table, where).select(columns.head, columns.tail: _*)
      val expected = sparkAlone(in)(query)
      val found = outcome(query)
      // a row group that an open column refutes is not read, and raises no error
      val isRefuted = found.isRight && where == "open = 401"
      assert(isRefuted && found == Right(Nil) || found == expected, s"$table: $where $columns")
    }
  })

  test("a session without keys sees nothing that a session with keys has read.") {
    FooterCache.shared.clear()
    val holders = found(lookup(holder, closed, "id = 400"))
    assert(inspected(holder, closed).count(_.contains("bloom")) == 16)
    assert(FooterCache.shared.size == 0)
    for ((in, reason) <- Seq(stranger -> "encrypted footer", eve -> "access to its key denied")) {
      val scan = report(lookup(in, closed, "id = 400"))
      assert(scan.get("row_groups").asInt == 0 && scan.get("files_kept").asInt == 2)
      assert(scan.get("refuted_by").isEmpty)
      assert(scan.get("kept_because").toString == s"""{"$reason":2}""")
      val nothing = Seq.fill(13)("null").mkString(",")
      assert(inspected(in, closed) == Seq.fill(2)(s"[$nothing,none,null,$reason]"))
    }
    assert(found(lookup(holder, closed, "id = 400")) == holders)
    assert(FooterCache.shared.size == 0)
  }

  private def hits(in: SparkSession): Seq[(Long, String, String)] = {
    in.createDataFrame(Seq(Tuple1(400L), Tuple1(987654321L)))
      .toDF("key")
      .createOrReplaceTempView("keys")
    in.read
      .format("sbbf")
      .options(Map("column" -> "id", "keys" -> "keys"))
      .load(legacy)
      .collect()
      .toSeq
      .map(row => (row.getLong(0), row.getAs[String]("evidence"), row.getAs[String]("reason")))
  }

  test("keys in an encrypted column are found with its key, and might be anywhere without it.") {
    val found = hits(holder)
    assert(found.map(_._1).contains(400L) && found.size < 8)
    assert(found.forall { case (_, evidence, reason) => evidence != "none" && reason.isEmpty })
    val unknown = Seq(400L, 987654321L).map((_, "none", "encrypted column"))
    assert(hits(stranger).sorted == Seq.fill(8)(unknown).flatten.sorted)
  }

  test("add_filters refuses encrypted files, even with their keys, and leaves them unchanged.") {
    for (table <- Seq(closed, legacy); in <- Seq(holder, stranger)) {
      def content = new File(table).listFiles.sorted.map(f => Files.readAllBytes(f.toPath).toSeq)
      val before = content.toSeq
      val options = enable("open") + ("table" -> table)
      val outcomes =
        new AddFiltersJob(in, FilterRequests.of(options + ("replace" -> "true"))).run()
      assert(outcomes.size == 2)
      for (outcome <- outcomes)
        assert((outcome.status, outcome.reason) == ((AddFiltersOutcome.Refused, "encrypted")))
      assert(content.toSeq == before)
    }
  }

  test("each session uses what it may read of a plaintext footer, in any order of sessions.") {
    def check(): Unit = {
      assert(
        found(lookup(holder, legacy, "id = 400")) == found(lookup(holder, plain, "id = 400")))
      val scan = report(lookup(stranger, legacy, "id = 400"))
      assert(scan.get("kept_because").toString == """{"encrypted column":8}""")
      assert(scan.get("row_groups_kept").asInt == 8 && scan.get("refuted_by").isEmpty)
      val open = found(lookup(stranger, legacy, "open = 400"))
      assert(open == found(lookup(stranger, plain, "open = 400")))
      val (closedColumns, openColumns) =
        inspected(stranger, legacy).partition(_.contains("encrypted"))
      assert(closedColumns.size == 16 && openColumns.size == 8)
      val nothing = Seq.fill(7)("null").mkString(",") + ",none,null,encrypted column]"
      assert(closedColumns.forall(_.endsWith(nothing)))
      assert(
        openColumns.forall(row => row.contains(",open,100,INT64,0,") && row.contains("bloom")))
      val denied = report(lookup(eve, legacy, "open = 400"))
      assert(denied.get("kept_because").toString == """{"access to its key denied":2}""")
    }
    FooterCache.shared.clear()
    check()
    assert(FooterCache.shared.size > 0)
    check()
  }

  test("a session with keys caches files that are not encrypted.") {
    FooterCache.shared.clear()
    Thread.sleep(2000)
    def bytesRead(in: SparkSession) =
      report(lookup(in, plain, "open = 400")).get("bytes_read").asInt
    assert(bytesRead(holder) > 0)
    assert(bytesRead(holder) == 0 && bytesRead(stranger) == 0)
  }

  /** Returns whether the text has the secret; adjacent digits make a number another one. */
  private def reveals(secret: String, text: String): Boolean =
    if (secret.forall(_.isDigit)) s"(?<!\\d)$secret(?!\\d)".r.findFirstIn(text).isDefined
    else text.contains(secret)

  test("no key and no value of a column is logged or shown.") {
    val (shown, messages) = Logged.during(Level.ALL) {
      quietly {
        LogManager.getLogger("io.sbbf.test").debug("is heard")
        for {
          in <- Seq(holder, stranger, eve, half)
          table <- Seq(closed, legacy)
          query = lookup(in, table, "id = 987654321 AND name = 'name 3'")
          probe = in.read.format("sbbf").option("column", "id").option("value", "987654321")
          keys = Try(hits(in)).failed.map(_.toString).getOrElse("")
          text <- Seq(
            keys,
            outcome(query).left.getOrElse(""),
            PruneReport.of(query.queryExecution).json,
            outcome(probe.load(table)).toString,
            inspected(in, table).mkString)
        } yield text
      }
    }
    val secrets = TestKms.Masters.values.toSeq ++ Seq("name 3", "name 9", "1598", "987654321")
    assert(messages.contains("is heard"))
    for (secret <- secrets; text <- shown ++ messages) assert(!reveals(secret, text), text)
  }
}
