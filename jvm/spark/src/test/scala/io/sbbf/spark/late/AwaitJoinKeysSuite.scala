package io.sbbf.spark.late

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

/** Which files keys of joins prune that Spark does not broadcast. */
class AwaitJoinKeysSuite extends LateKeysTables {

  /** Views of three rows whose keys are in 2 of the 8 files, by what Spark knows of them. */
  private lazy val sides: Seq[String] = {
    query("SELECT 1")
    val few = spark.table("few")
    val views = Seq(
      "checkpointed" -> few.localCheckpoint(),
      "external" -> spark.createDataFrame(few.rdd, few.schema),
      "kept" -> few.where("id >= 0").cache(),
      "local" -> spark.createDataFrame(few.collectAsList(), few.schema),
      "distinct_rows" -> few.dropDuplicates("k"),
      "distinct_keys" -> few
        .groupBy("k")
        .agg(Map("id" -> "max", "i" -> "max", "n" -> "max"))
        .toDF("k", "id", "i", "n")
    )
    views.foreach { case (name, view) => view.createOrReplaceTempView(name) }
    "few" +: views.map(_._1)
  }

  override protected def settings: Map[String, String] =
    super.settings + ("spark.sql.autoBroadcastJoinThreshold" -> "-1")

  private def check(text: String, files: Int*): Unit =
    test(s"$text reads ${files.mkString(", ")} files.") {
      sides.foreach { side =>
        val joined = text.replace("few", side)
        val df = query(joined)
        assert(rows(df) == oracle(query(joined)), joined)
        assert(filesRead(df) == files, s"$joined\n${df.queryExecution.executedPlan}")
      }
    }

  check("SELECT log.* FROM log JOIN few ON log.k = few.k", 2)
  check("SELECT log.* FROM few JOIN log ON log.k = few.k", 2)
  check("SELECT /*+ SHUFFLE_HASH(few) */ log.* FROM log JOIN few ON log.k = few.k", 2)
  check("SELECT log.* FROM log JOIN few ON log.k = few.k AND log.id <> few.id", 2)
  check("SELECT log.* FROM log JOIN few ON log.i = few.i AND log.k = few.k", 2)
  check("SELECT log.id FROM log JOIN few ON CAST(log.i AS BIGINT) = few.i + 0L", 2)
  check("SELECT log.id FROM log JOIN few ON log.k <=> few.k", 2)
  check("SELECT log.* FROM log LEFT SEMI JOIN few ON log.k = few.k", 2)
  check("SELECT few.id, log.id FROM few LEFT JOIN log ON log.k = few.k", 2)
  check("SELECT few.id, log.id FROM log RIGHT JOIN few ON log.k = few.k", 2)
  check("SELECT few.id FROM few LEFT ANTI JOIN log ON log.k = few.k", 2)
  check("SELECT few.id FROM few LEFT SEMI JOIN log ON log.k = few.k", 2)
  check("SELECT id FROM few WHERE k IN (SELECT k FROM log) OR id < 15", 2)
  check("SELECT id FROM few WHERE NOT EXISTS (SELECT 1 FROM log WHERE log.k = few.k)", 2)
  check("SELECT * FROM (SELECT k AS key, m + 1 AS n FROM log WHERE m < 9) JOIN few ON key = k", 2)
  check("SELECT * FROM (SELECT k, count(*) FROM log GROUP BY k) JOIN few USING (k)", 2)
  check("SELECT log.id FROM log JOIN few USING (k) JOIN none ON log.id = none.id")
  check(
    "SELECT * FROM (SELECT k, id FROM log UNION ALL SELECT k, m FROM log WHERE m < 9) " +
      "JOIN few USING (k)",
    2,
    2)
  check("SELECT few.id FROM few WHERE (SELECT max(m) FROM log WHERE log.k = few.k) > 2", 2)

  // rows without a match stay
  check("SELECT * FROM log LEFT JOIN few ON log.k = few.k", Files)
  check("SELECT * FROM log LEFT ANTI JOIN few ON log.k = few.k", Files)
  check("SELECT * FROM log FULL JOIN few ON log.k = few.k", Files)
  check("SELECT few.id FROM few WHERE id NOT IN (SELECT id + 1 FROM log)", Files)

  // rows that pass another operator are not those of the scan
  check("SELECT * FROM (SELECT * FROM log LIMIT 3000) JOIN few USING (k)", Files)
  check("SELECT * FROM (SELECT k, rand(5) AS r FROM log) JOIN few USING (k) WHERE r < 0.5", Files)
  check("SELECT * FROM (SELECT k, count(*) OVER () AS c FROM log) JOIN few USING (k)", Files)

  test("keys of a broadcast prune scans of the stages before its join.") {
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "10m") {
      sides
      for (grouped <- Seq(
          "SELECT k, count(*) FROM log GROUP BY k",
          "SELECT DISTINCT k, m FROM log")) {
        val text = s"SELECT * FROM ($grouped) JOIN few USING (k)"
        val df = query(text)
        assert(rows(df) == oracle(query(text)))
        assert(filesRead(df) == Seq(2), df.queryExecution.executedPlan)
      }
    }
  }

  test("keys of several columns are those of their columns.") {
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "10m") {
      sides
      // Spark packs two integers into one long
      val text = "SELECT * FROM (SELECT i, CAST(m AS INT) AS m, max(k) FROM log GROUP BY i, m) " +
        "JOIN (SELECT i, CAST(m AS INT) AS m FROM few) USING (m, i)"
      val df = query(text)
      assert(rows(df) == oracle(query(text)) && rows(df).size == 3)
      assert(filesRead(df) == Seq(2), df.queryExecution.executedPlan)
    }
  }

  test("an expression that fails for rows that a filter drops is not evaluated for them.") {
    sides
    val parsed = "SELECT CAST(substr(s, 6) AS BIGINT) AS key FROM log WHERE s LIKE 'user-%'"
    withConf("spark.sql.ansi.enabled" -> "true") {
      val text =
        s"SELECT key FROM ($parsed) JOIN (SELECT CAST(substr(s, 6) AS BIGINT) AS key FROM few) USING (key)"
      assert(rows(query(text)) == oracle(query(text)) && rows(query(text)).size == 3)
    }
  }

  test("rows with NULL join by <=> on keys of every type.") {
    sides
    for ((column, value) <- Seq(
        "n" -> "n",
        "b" -> "CAST(s AS BINARY)",
        "t" -> "s",
        "x" -> "dec")) {
      val table = s"(SELECT id, IF(id % 3 = 0, NULL, $value) AS $column FROM"
      val text =
        s"SELECT log.id FROM $table log) log JOIN $table few) few ON log.$column <=> few.$column"
      for (threshold <- Seq("-1", "10m"))
        withConf("spark.sql.autoBroadcastJoinThreshold" -> threshold) {
          val found = rows(query(text))
          assert(found == oracle(query(text)) && found.size > 1000, column)
        }
    }
  }

  test("a side whose rows may be others when it runs again prunes nothing.") {
    withConf("spark.sql.execution.sortBeforeRepartition" -> "false") {
      val spread = "SELECT /*+ REPARTITION(3) */ * FROM (SELECT DISTINCT k, id FROM few)"
      val df = query(s"SELECT log.id FROM log JOIN ($spread) x ON log.k = x.k")
      assert(rows(df).size == 3 && filesRead(df) == Seq(Files), df.queryExecution.executedPlan)
      assert(reasons(df).contains("a join's smaller side is not determinate"))
    }
  }

  test("a side is not awaited if it would be run twice.") {
    withConf("spark.sql.exchange.reuse" -> "false") {
      val df = query("SELECT log.* FROM log JOIN few ON log.k = few.k")
      assert(rows(df).size == 3 && filesRead(df) == Seq(Files))
    }
  }

  test("a side that waits itself is still run once.") {
    val text = "SELECT log.id FROM log JOIN few ON log.k = few.k JOIN none ON few.i = none.i " +
      "JOIN (SELECT id AS n, k FROM log WHERE m < 9) b ON b.k = log.k"
    val df = query(text)
    assert(rows(df) == oracle(query(text)))
    assert(filesRead(df) == Seq(2, Files), df.queryExecution.executedPlan)
    val alone = query(text)
    withConf("spark.sbbf.enabled" -> "false")(rows(alone))
    assert(shuffles(df) <= shuffles(alone), df.queryExecution.executedPlan)
  }

  private def shuffles(df: DataFrame): Int =
    collectWithSubqueries(df.queryExecution.executedPlan) { case s: ShuffleExchangeLike =>
      s
    }.size

  test("no side of a join is shuffled twice.") {
    for (side <- sides) {
      val text = s"SELECT $side.id, log.id FROM $side LEFT JOIN log USING (k)"
      val df = query(text)
      rows(df)
      val alone = query(text)
      withConf("spark.sbbf.enabled" -> "false")(rows(alone))
      assert(shuffles(df) == shuffles(alone), df.queryExecution.executedPlan)
    }
  }
}
