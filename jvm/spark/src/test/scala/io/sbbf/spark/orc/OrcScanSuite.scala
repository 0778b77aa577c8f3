package io.sbbf.spark.orc

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.broadcast

import io.sbbf.parquet.model.Evidence
import io.sbbf.parquet.prune.FooterCache
import io.sbbf.parquet.testing.TestFiles

/** Tests which stripes of ORC files are planned, and that queries return the rows of the oracle. */
class OrcScanSuite extends OrcTables {

  private lazy val table =
    written(
      "typed",
      small ++ filters("id,i,h,name,d,f,m,day,ts,flag,st.a,bin"),
      (0 until 5).map(n => typed(n * 4000, n * 4000 + 4000)): _*)

  private def where(condition: String): DataFrame = spark.read.orc(table).where(condition)

  private def check(condition: String, most: Int): Unit = {
    assertSameRows(where(condition).select("id"), condition)
    val (left, all) = kept(where(condition))
    assert(all == 10 && left <= most, s"$condition keeps $left of $all stripes")
  }

  test("a key keeps the stripe that holds it, whatever its type.") {
    Seq(
      "id = 8000",
      "id IN (8000, 8002)",
      "id <=> 8000",
      "i = 8000",
      "h = 4001",
      "name = 'key-4001'",
      "m = 1000.25",
      "day = date'2000-12-15'",
      "d = 2001.5",
      "f = 2001.5",
      "st.a = 4003",
      "id = 8000 AND name = 'key-4000'"
    ).foreach(check(_, most = 2))
  }

  test("an absent key keeps no stripe, and the scan has no task.") {
    Seq("id = 8001", "name = 'key-x'", "i = 7", "m = 1000.26", "st.a = -1", "id IN (1, 3, 5)")
      .foreach { condition =>
        check(condition, most = 0)
        assert(where(condition).rdd.getNumPartitions == 0)
      }
  }

  test("statistics refute ranges, and filters are not read for them.") {
    check("id >= 32000", most = 2)
    check("id < 8000", most = 2)
    check("id > 100000", most = 0)
    check("name > 'key-9999'", most = 10)
    check("day < date'1990-01-02'", most = 1)
    val found = pruning(where("id >= 32000")).get
    assert(found.refutedBy == Map(Evidence.MinMax -> 8L))
  }

  test("filters refute what statistics do not.") {
    val found = pruning(where("id = 9002")).get
    assert(found.refutedBy == Map(Evidence.MinMax -> 8L, Evidence.Bloom -> 1L))
  }

  test("an AND or OR of columns combines their evidence in each row group.") {
    check("id = 8000 OR name = 'key-x'", most = 1)
    check("id = 8001 OR name = 'key-4001'", most = 1)
    check("id = 8000 AND name = 'key-19999'", most = 0)
    check("id = 8001 OR flag", most = 10)
  }

  test("both zeros are one value, and NaN equals itself.") {
    Seq("d = 0.0D", "d = -0.0D", "f = float('0.0')", "f = float('-0.0')", "d IN (0.0D, 7.0D)")
      .foreach(check(_, most = 10))
    Seq("d <= -0.0D", "d >= 0.0D", "d < 0.0D", "f > float('-0.0')", "d = double('NaN')")
      .foreach(check(_, most = 10))
  }

  test(
    "the least and the greatest value of a stripe are found, whatever the type.",
    TestFiles.FullRun) {
    for (column <- Seq("id", "i", "h", "name", "d", "m", "day", "f");
      bound <- Seq("min", "max")) {
      val typed = spark.read.orc(table)
      val Array(row) = typed.selectExpr(s"cast($bound($column) as string)").collect()
      val kind = typed.schema(column).dataType.sql
      for (operator <- Seq("=", ">=", "<=", "<=>"))
        check(s"$column $operator cast('${row.getString(0)}' as $kind)", most = 10)
    }
    val days = written(
      "days",
      small ++ filters("day"),
      spark
        .range(4000)
        .repartition(1)
        .selectExpr("date_add(date'2020-01-01', int(id) % 10) as day"))
    for (c <- Seq("day = date'2020-01-10'", "day >= date'2020-01-10'", "day = date'2020-01-01'"))
      assertSameRows(spark.read.orc(days).where(c), c)
  }

  test("texts that are cut in statistics or are not UTF-8 are found.") {
    val texts = written(
      "cut",
      small ++ filters("c"),
      spark.sql(
        "SELECT cast(X'636166C3' AS string) AS c UNION ALL VALUES ('caf\u00e9'), ('caf\u00e9zz')"),
      spark
        .sql("SELECT repeat('a', n) AS c FROM VALUES (1024), (1025), (999), (1000) AS t(n)")
        .repartition(1)
    )
    val conditions = Seq("=", "<", "<=", ">=").flatMap(o =>
      Seq(
        s"c $o 'caf\u00e9'",
        s"c $o repeat('a', 1024)",
        s"c $o repeat('a', 999)")) :+ "c LIKE 'caf\u00e9%'"
    conditions.foreach(c => assertSameRows(spark.read.orc(texts).where(c), c))
  }

  test("old days, and a NULL in a list, return the oracle's rows.") {
    val old = written(
      "old_days",
      small ++ filters("day"),
      spark
        .sql("SELECT date'1500-01-01' AS day, 1 AS i UNION ALL SELECT date'1582-10-04', 2")
        .repartition(1))
    Seq(
      "day = date'1500-01-01'",
      "day = date'1582-10-04'",
      "day < date'1582-10-20'",
      "i IN (1, NULL)")
      .foreach(c => assertSameRows(spark.read.orc(old).where(c), c))
    Seq("id IN (8, NULL)", "NOT (id <=> 8)").foreach(c =>
      assertSameRows(where(c).select("id"), c))
  }

  test("files of other types that planning did not read return the oracle's rows.") {
    val other = written(
      "unread",
      small,
      spark.range(4000).selectExpr("cast(id as string) as c"),
      spark.range(4000).selectExpr("id as c"),
      spark.range(4000).selectExpr("id as c")
    )
    for (sample <- Seq("1", "0"))
      withConf("spark.sbbf.planning.sampleFiles" -> sample)(
        assertSameRows(spark.read.schema("c bigint").orc(other).where("c = 5"), sample))
  }

  test("NULL of a struct is NULL of its fields.") {
    Seq("st.a IS NULL", "st.a <=> NULL", "st IS NULL", "name IS NULL", "NOT (st.a = 4003)")
      .foreach(c => assertSameRows(where(c).select("id"), c))
  }

  test("a column without NULL refutes IS NULL.") {
    check("id IS NULL", most = 0)
    check("id IS NOT NULL AND id = 8001", most = 0)
  }

  test("tests that ORC cannot decide keep everything.") {
    Seq("ts = timestamp'1970-02-01 00:00:00'", "bin = cast('v1' as binary)", "NOT (id = 8000)")
      .foreach(c => assertSameRows(where(c).select("id"), c))
    check("array_contains(list, 5L) OR id = 1", most = 10)
  }

  test("texts beyond the basic plane are found.") {
    val texts = spark
      .range(4000)
      .selectExpr(
        "case id % 3 when 0 then '\ud83d\ude00' when 1 then '\uffee' else 'a' end as c",
        "id")
    val file = written("texts", small ++ filters("c"), texts.repartition(1))
    Seq("c = '\ud83d\ude00'", "c > '\uffee'", "c <= '\ud83d\ude00'", "c LIKE '\ud83d%'").foreach {
      c =>
        def query = spark.read.orc(file).where(c)
        assertSameRows(query, c)
    }
  }

  test("files without a column, with other types or by other names return the oracle's rows.") {
    val mixed = written(
      "mixed",
      small ++ filters("*"),
      spark.range(4000).selectExpr("id", "cast(id as string) as c"),
      spark.range(4000, 8000).selectExpr("cast(id as int) as id"),
      spark.range(8000, 9000).selectExpr("id as ID", "concat('0', id) as c")
    )
    for {
      schema <- Seq("id bigint, c string", "id int, c int", "id string, c string")
      condition <- Seq("id = 5", "id IS NULL", "c IS NULL", "c = 8000", "id = 8500", "c = '5'")
      caseSensitive <- Seq("true", "false")
    } withConf("spark.sql.caseSensitive" -> caseSensitive) {
      def query = spark.read.schema(schema).orc(mixed).where(condition)
      assertSameRows(query, s"$schema, $condition, $caseSensitive")
    }
  }

  test("columns of Hive's old writer are found by position.") {
    val old = written(
      "old",
      small ++ filters("*"),
      typed(0, 4000).selectExpr("id as _col0", "name as _col1", "st as _col2"))
    for ((condition, most) <- Seq(
        "b = 'key-2000'" -> 1,
        "b = 'x'" -> 0,
        "a = 4000" -> 1,
        "c.a = 5" -> 1)) {
      def query =
        spark.read
          .schema("a bigint, b string, c struct<a: bigint>, d int")
          .orc(old)
          .where(condition)
      assertSameRows(query, condition)
      assert(kept(query)._1 <= most, condition)
    }
    def absent = spark.read.schema("a bigint, b string, c struct<a: bigint>, d int").orc(old)
    assert(kept(absent.where("d = 1"))._1 == 0)
    assertSameRows(absent.where("d IS NULL AND a = 8"), "d IS NULL")
  }

  test("a reader that finds all columns by position finds these.") {
    val other =
      written("other", small ++ filters("*"), typed(0, 4000).selectExpr("id as x", "i as y"))
    for (force <- Seq("true", "false"))
      withConf("orc.force.positional.evolution" -> force) {
        for (c <- Seq("x = 4000", "y = 4000", "y IS NULL", "x IS NULL"))
          assertSameRows(spark.read.schema("y bigint, x int").orc(other).where(c), s"$force: $c")
      }
  }

  test(
    "a file of Hive with invalid filters in the old encoding returns the oracle's rows.",
    TestFiles.FullRun) {
    val fixtures = sys.env.get("SBBF_FIXTURES")
    assume(fixtures.isDefined, "SBBF_FIXTURES is not set")
    val schema =
      "t tinyint, si smallint, i int, b bigint, f float, d double, bo boolean, s string, " +
        "ts timestamp, dec decimal(4, 2), bin binary"
    def table = spark.read.schema(schema).orc(s"${fixtures.get}/orc/over1k_bloom.orc").drop("bin")
    val values = table.limit(TestFiles.times(40, fewest = 8)).collect()
    def some(column: String): Seq[String] =
      values.map(row => Option(row.getAs[Any](column)).fold("NULL")(v => s"'$v'")).toSeq.distinct
    for (c <- Seq("t", "si", "i", "b", "f", "d", "s"); v <- some(c))
      assertSameRows(table.where(s"$c = $v"), s"$c = $v")
    val absent = Seq("s = 'zz'", "b = 5", "t = 125")
    absent.foreach(c => assertSameRows(table.where(c), c))
    absent.foreach(c => assert(kept(table.where(c))._1 == 0, c))
  }

  test("stripes of n row groups keep an absent key with 1 - (1 - fpp)^n.") {
    val many = spark.range(400000).repartition(1).selectExpr("xxhash64(id) as k")
    val options =
      Map("orc.stripe.row.count" -> "10000", "orc.row.index.stride" -> "1000") ++
        Map("orc.bloom.filter.columns" -> "k", "orc.bloom.filter.fpp" -> "0.01")
    val stripes = written("many", options, many)
    val shares = (1 to 50).map { n =>
      val (left, all) = kept(spark.read.orc(stripes).where(s"k = xxhash64(${-n}L)"))
      left.toDouble / all
    }
    // 9.6 % expected; four standard deviations of 2,000 stripes to each side
    assert(shares.sum / 50 > 0.07 && shares.sum / 50 < 0.123, shares.sum / 50)
  }

  test("keys of a join prune stripes.") {
    val keys = spark.range(1).selectExpr("8000L as id")
    val other = spark.read.orc(table)
    def query = other.join(broadcast(keys), "id").select("id", "name")
    assertSameRows(query, "join")
    val joined = query
    assert(rows(joined).size == 1)
    assert(pruning(joined).exists(_.keptRowGroups == 1))
  }

  test("settings turn it off: all of it, or the format that reads single stripes.") {
    withConf("spark.sbbf.orc.enabled" -> "false")(assert(pruning(where("id = 8000")).isEmpty))
    withConf("spark.sbbf.rowGroupPruning.enabled" -> "false") {
      val query = where("id = 8000")
      assert(pruning(query).exists(_.keptFiles == 1) && rows(query).size == 1)
    }
  }

  test("ORC and Parquet files share the limit of one cache, which may be no bytes.") {
    val parquet = path("beside.parquet")
    spark.read.orc(table).write.parquet(parquet)
    Thread.sleep(2100) // evidence of files that changed just now is not used again
    def queries = Seq(where("id = 8000"), spark.read.parquet(parquet).where("id = 8000"))
    def read: Seq[Long] = queries.flatMap(pruning(_).map(_.bytesRead))
    FooterCache.shared.clear()
    assert(read.forall(_ > 0))
    val both = FooterCache.shared.retainedBytes
    assert(read == Seq(0L, 0L))
    withConf("spark.sbbf.cache.maxBytes" -> (both - 1).toString) {
      assert(read.sum > 0)
      assert(FooterCache.shared.retainedBytes < both)
    }
    withConf("spark.sbbf.cache.maxBytes" -> "0") {
      assert(read.forall(_ > 0))
      assert(FooterCache.shared.retainedBytes == 0)
    }
  }

  test("row by row, in batches and without a vectorized reader, the rows are the same.") {
    for (vectorized <- Seq("true", "false"))
      withConf("spark.sql.orc.enableVectorizedReader" -> vectorized)(check("id = 8000", most = 1))
  }

  test("splits read each surviving stripe once.") {
    withConf("spark.sql.files.maxPartitionBytes" -> "10000")(
      check("id % 2 = 0 AND i >= 0", most = 10))
    withConf("spark.sql.files.maxPartitionBytes" -> "10000")(check("id IN (0, 38000)", most = 2))
  }
}
