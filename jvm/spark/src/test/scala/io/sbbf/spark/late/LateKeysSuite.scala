package io.sbbf.spark.late

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.DurationInt
import scala.concurrent.{Await, Future}

import org.apache.spark.sql.catalyst.expressions.{In, Literal, PlanExpression}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.{LongType, MetadataBuilder, StructField, StructType}
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.sbbf.spark.files.PrunedFileIndex
import io.sbbf.spark.scan.LateKeys

/** Which files keys of joins and results of subqueries prune while a query runs. */
class LateKeysSuite extends LateKeysTables {

  private def check(text: String, files: Int*): Unit =
    test(s"$text reads ${files.mkString(", ")} files.") {
      val df = query(text)
      assert(rows(df) == oracle(query(text)))
      assert(filesRead(df) == files, df.queryExecution.executedPlan)
    }

  // the keys are in 2 of the 8 files
  check("SELECT log.* FROM log JOIN few ON log.k = few.k", 2)
  check("SELECT log.* FROM few JOIN log ON log.k = few.k", 2)
  check("SELECT log.* FROM few JOIN log USING (k)", 2)
  check("SELECT log.* FROM few JOIN log USING (id) WHERE log.id = 20", 1)
  check("SELECT log.id FROM log JOIN few USING (i)", 2)
  check("SELECT log.id FROM log JOIN few USING (s)", 2)
  check("SELECT log.id FROM log JOIN few USING (d)", 2)
  check("SELECT log.id FROM log JOIN few USING (day)", 2)
  check("SELECT log.id FROM log JOIN few USING (n)", 2)
  check("SELECT log.id FROM log JOIN few USING (dec)", 2)
  check("SELECT log.id FROM log JOIN few ON log.i = few.i AND log.m = few.m", 2)
  check("SELECT log.id FROM log JOIN few ON log.k = few.k AND log.id <> few.id", 2)
  check("SELECT log.id FROM log JOIN few ON CAST(log.i AS BIGINT) = few.i + 0L", 2)
  check("SELECT log.id FROM log CROSS JOIN few WHERE log.k = few.k", 2)
  check("SELECT * FROM log WHERE k IN (SELECT k FROM few)", 2)
  check("SELECT * FROM log WHERE EXISTS (SELECT 1 FROM few WHERE few.k = log.k)", 2)
  check("SELECT * FROM (SELECT k AS key, m + 1 AS n FROM log) JOIN few ON key = k", 2)
  check("SELECT count(*) FROM log JOIN few USING (k)", 2)
  check("SELECT m, count(*) FROM (SELECT log.m FROM log JOIN few USING (k)) GROUP BY m", 2)
  check("SELECT * FROM log JOIN few USING (k) WHERE log.id < 100", 1)
  check("SELECT * FROM log WHERE k = (SELECT max(k) FROM few)", 1)
  check("SELECT * FROM log WHERE k = (SELECT max(k) FROM few WHERE id < 0)", 0)
  check("SELECT * FROM log WHERE k IN (SELECT k FROM none)", 0)
  check("SELECT * FROM log JOIN few USING (k) JOIN none ON log.i = none.i", 1)
  check("SELECT * FROM log LEFT JOIN none ON log.id = none.id JOIN few ON log.k = few.k", 2)
  check("SELECT * FROM log LEFT ANTI JOIN none ON log.id = none.id JOIN few ON log.k = few.k", 2)
  check("SELECT a.id FROM log a JOIN log b ON a.id = b.id JOIN few ON b.k = few.k", 8, 2)
  check(
    "SELECT /*+ BROADCAST(x) */ log.id FROM log " +
      "JOIN (SELECT few.k FROM few JOIN none USING (i)) x USING (k)",
    1)
  check(
    "SELECT /*+ MERGE(b) */ a.id FROM log a JOIN log b USING (id) JOIN few ON a.k = few.k",
    2,
    Files)

  // rows without a match stay
  check("SELECT * FROM log LEFT JOIN few ON log.k = few.k", Files)
  check("SELECT * FROM few RIGHT JOIN log ON log.k = few.k", Files)
  check("SELECT * FROM log LEFT ANTI JOIN few ON log.k = few.k", Files)
  check("SELECT * FROM log WHERE k NOT IN (SELECT k FROM few)", Files)
  check("SELECT * FROM log WHERE k IN (SELECT k FROM few) OR id < 5", Files)
  check("SELECT * FROM log FULL JOIN few ON log.k = few.k", Files)

  // rows that pass another operator are not those of the scan
  check("SELECT * FROM (SELECT * FROM log LIMIT 3000) JOIN few USING (k)", Files)
  check("SELECT * FROM (SELECT k, rand(5) AS r FROM log) JOIN few USING (k) WHERE r < 0", Files)
  check(
    "SELECT * FROM (SELECT max(id), k % 1 AS z FROM log GROUP BY k % 1) JOIN few ON z = k",
    Files)

  test("adaptive execution has to be enabled.") {
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val df = query("SELECT log.* FROM log JOIN few ON log.k = few.k")
      assert(rows(df) == oracle(query("SELECT log.* FROM log JOIN few ON log.k = few.k")))
      assert(filesRead(df) == Seq(Files))
    }
  }

  test("more keys than the setting allows prune nothing.") {
    for ((most, files) <- Seq("2" -> Files, "3" -> 2))
      withConf("spark.sbbf.runtimePruning.maxKeys" -> most) {
        val df = query("SELECT log.* FROM log JOIN few ON log.k = few.k")
        assert(rows(df).size == 3)
        assert(filesRead(df) == Seq(files), s"$most keys")
      }
  }

  test("keys that refute nothing leave the scan as it was planned.") {
    val df = query("SELECT log.id FROM log JOIN few ON log.m = few.m")
    rows(df)
    assert(lateKeys(df).isEmpty && filesRead(df) == Seq(Files))
  }

  for (setting <- Seq("spark.sbbf.enabled", "spark.sbbf.runtimePruning.enabled"))
    test(s"keys prune nothing if $setting is false.") {
      withConf(setting -> "false") {
        val df = query("SELECT log.* FROM log JOIN few ON log.k = few.k")
        assert(rows(df).size == 3 && lateKeys(df).isEmpty)
      }
    }

  test("without the format swap, keys prune whole files.") {
    withConf("spark.sbbf.rowGroupPruning.enabled" -> "false") {
      val text = "SELECT log.* FROM log JOIN few ON log.k = few.k"
      val df = query(text)
      assert(rows(df) == oracle(query(text)) && filesRead(df) == Seq(2))
      assert(scans(df).forall(_.relation.fileFormat.getClass == classOf[ParquetFileFormat]))
    }
  }

  test("a query that can see splits gets the splits of Spark alone.") {
    val small =
      Seq("spark.sql.files.maxPartitionBytes" -> "8k", "spark.sql.files.openCostInBytes" -> "1k")
    withConf(small: _*)(compareSplits())
  }

  private def compareSplits(): Unit = {
    val blocks = "SELECT k, input_file_block_start(), input_file_block_length() FROM log"
    val text = s"SELECT * FROM ($blocks) JOIN few USING (k)"
    assert(rows(query(text)) == oracle(query(text)))
    val lengths = s"SELECT k, _metadata.file_block_length FROM parquet.`${path("log")}`"
    val hidden = s"SELECT * FROM ($lengths) JOIN few USING (k)"
    val df = query(hidden)
    assert(rows(df) == oracle(query(hidden)))
    assert(lateKeys(df) == Seq(3))
  }

  test("indexes with different keys differ, so that no exchange is reused wrongly.") {
    val df = query("SELECT log.* FROM log JOIN few ON log.k = few.k")
    rows(df)
    val index = lateIndexes(df).head
    def of(keys: Int*) = index.narrowedBy(
      Seq(LateKeys(In(Literal(1), keys.map(Literal(_))), keys.size, LateKeys.Subquery)),
      selectsPartition = _ => true)
    assert(of(1) == of(1) && of(1) != of(2) && of(1) != index)
    val twice =
      "SELECT a.id, b.id FROM (SELECT /*+ REPARTITION(2) */ log.id FROM log JOIN few USING (k)) a " +
        "JOIN (SELECT /*+ REPARTITION(2) */ log.id FROM log JOIN none USING (i)) b ON a.id = b.id"
    assert(rows(query(twice)) == oracle(query(twice)))
  }

  test("many keys are evaluated on a sample first, and prune all files that hold none.") {
    val absent = "(SELECT xxhash64(id + 100000) AS k FROM range(0, 1500, 1, 1))"
    for (sample <- Seq("1", "0", "100"))
      withConf("spark.sbbf.planning.sampleFiles" -> sample) {
        val df = query(s"SELECT log.id FROM log JOIN $absent USING (k)")
        assert(rows(df).isEmpty && lateKeys(df) == Seq(1500), s"sample of $sample")
      }
    val present = "(SELECT xxhash64(id * 2) AS k FROM range(0, 1500, 1, 1))"
    val df = query(s"SELECT log.id FROM log JOIN $present USING (k)")
    assert(rows(df).size == 1500 && filesRead(df).forall(_ >= 6))
  }

  test("a key that the query spells in another case prunes by the file's column.") {
    query("SELECT 1")
    val df = withConf("spark.sql.caseSensitive" -> "false") {
      val joined = spark.sql("SELECT log.ID FROM log JOIN few ON log.K = few.k")
      joined.queryExecution.analyzed
      joined
    }
    withConf("spark.sql.caseSensitive" -> "true") {
      assert(rows(df) == Seq("[10]", "[20]", "[3900]") && filesRead(df) == Seq(2))
    }
  }

  test("a query that scans the same rows twice still scans them once.") {
    val text =
      "WITH t AS (SELECT log.m, count(*) AS c FROM log JOIN few USING (k) GROUP BY log.m) " +
        "SELECT * FROM t a JOIN t b USING (m)"
    def numScans(df: DataFrame) = {
      rows(df)
      logScans(df).size
    }
    val df = query(text)
    assert(numScans(df) == withConf("spark.sbbf.enabled" -> "false")(numScans(query(text))))
    assert(rows(df) == oracle(query(text)) && lateKeys(df).nonEmpty)
  }

  test("a side without rows plans no task.") {
    val text = "SELECT log.id FROM log JOIN (SELECT k FROM few WHERE id < 0) USING (k)"
    val df = query(text)
    assert(rows(df).isEmpty && filesRead(df).isEmpty)
    // Spark replaces the join by an empty relation, unless its rule is excluded
    val rule = "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"
    withConf("spark.sql.adaptive.optimizer.excludedRules" -> rule) {
      val df = query(text)
      assert(rows(df).isEmpty && filesRead(df) == Seq(0))
      assert(logScans(df).flatMap(_.inputRDDs().map(_.getNumPartitions)) == Seq(0))
    }
  }

  test("sessions with other settings answer right from the same cache of footers.") {
    val text = "SELECT log.id FROM log JOIN few USING (k)"
    val expected = oracle(query(text))
    val numbers = Seq(
      Seq.empty -> Seq(3),
      Seq("spark.sbbf.runtimePruning.enabled" -> "false") -> Nil,
      Seq("spark.sbbf.rowGroupPruning.enabled" -> "false") -> Seq(3),
      Seq("spark.sbbf.runtimePruning.maxKeys" -> "2") -> Nil,
      Seq("spark.sbbf.cache.maxBytes" -> "0") -> Seq(3),
      Seq("spark.sbbf.enabled" -> "false") -> Nil
    )
    val sessions = numbers.map { case (settings, keys) => otherSession(settings) -> keys }
    def run(session: SparkSession, keys: Seq[Int]) = {
      val df = session.sql(text)
      assert(rows(df) == expected && lateKeys(df) == keys)
    }
    (sessions ++ sessions).foreach { case (session, keys) => run(session, keys) }
    val together = Seq.fill(3)(sessions).flatten.map { case (session, keys) =>
      Future(run(session, keys))
    }
    together.foreach(Await.result(_, 5.minutes))
  }

  /** Returns a session with these settings and the same tables. */
  private def otherSession(settings: Seq[(String, String)]): SparkSession = {
    val session = spark.newSession()
    settings.foreach { case (key, value) => session.conf.set(key, value) }
    Seq("log", "few").foreach(name =>
      session.read.parquet(path(name)).createOrReplaceTempView(name))
    session
  }

  test("keys prune the partitions that the query chooses while it runs.") {
    query("SELECT 1")
    val options = filterOptions(Seq("k"), ndv = 100, fpp = "0.0001")
    val parts = spark.table("log").selectExpr("id", "k", "m")
    parts.write.options(options).partitionBy("m").parquet(path("parts"))
    spark.read.parquet(path("parts")).createOrReplaceTempView("parts")
    val text = "SELECT parts.id FROM parts JOIN few ON parts.m = few.m AND parts.k = few.k " +
      "WHERE few.id = 10"
    for (dynamic <- Seq("true", "false"))
      withConf("spark.sql.optimizer.dynamicPartitionPruning.enabled" -> dynamic) {
        val df = query(text)
        assert(rows(df) == oracle(query(text)))
        val scan = scans(df).head
        assert(
          scan.partitionFilters.exists(_.exists(_.isInstanceOf[PlanExpression[_]])) ==
            dynamic.toBoolean)
        val index = scan.relation.location.asInstanceOf[PrunedFileIndex]
        val filesOfAPartition = 2
        val listed = if (dynamic.toBoolean) filesOfAPartition else 7 * filesOfAPartition
        assert(index.selection.map(s => (s.numFiles, s.keptFiles)).contains((listed, 1)))
      }
  }

  test("keys prune by the id of a column whose name in the files is another one.") {
    query("SELECT 1")
    def named(name: String) = {
      val id = new MetadataBuilder().putLong("parquet.field.id", 1).build()
      StructType(Seq(StructField("id", LongType), StructField(name, LongType, true, id)))
    }
    val ids =
      Seq("spark.sql.parquet.fieldId.write.enabled", "spark.sql.parquet.fieldId.read.enabled")
    withConf(ids.map(_ -> "true"): _*) {
      val keys = spark.range(0, 4000, 1, Files).selectExpr("id", "xxhash64(id)")
      spark
        .createDataFrame(keys.rdd, named("other"))
        .write
        .options(filterOptions(Seq("other"), ndv = 500, fpp = "0.0001"))
        .parquet(path("ids"))
      spark.read.schema(named("k")).parquet(path("ids")).createOrReplaceTempView("ids")
      val text = "SELECT /*+ BROADCAST(few) */ ids.id FROM ids JOIN few USING (k)"
      val df = query(text)
      assert(rows(df) == oracle(query(text)) && rows(df).size == 3 && lateKeys(df) == Seq(3))
    }
  }
}
