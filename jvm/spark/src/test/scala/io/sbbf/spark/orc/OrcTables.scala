package io.sbbf.spark.orc

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.expr

import io.sbbf.spark.testing.SparkSuite

/** Provides ORC tables of small stripes, and the oracle of queries on them. */
abstract class OrcTables extends SparkSuite {
  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  /** Stripes of 2,000 rows and row groups of 1,000. Values of `id` are even and in no order. */
  protected val small: Map[String, String] =
    Map("orc.stripe.row.count" -> "2000", "orc.row.index.stride" -> "1000")

  protected def filters(columns: String): Map[String, String] =
    Map("orc.bloom.filter.columns" -> columns, "orc.bloom.filter.fpp" -> "0.001")

  /** Returns rows of all types. Their order is that of a hash of `n`. */
  protected def typed(from: Int, until: Int): DataFrame =
    spark
      .range(from.toLong, until.toLong)
      .repartition(1)
      .orderBy(expr("xxhash64(id)"))
      .select(
        expr("id * 2 as id"),
        expr("cast(id % 100000 * 2 as int) as i"),
        expr("cast(id % 30000 as smallint) as h"),
        expr("if(id % 7 = 0, null, concat('key-', id)) as name"),
        expr("case id % 5 when 0 then 0.0D when 1 then -0.0D else id * 0.5D end as d"),
        expr("cast(case id % 5 when 0 then -0.0D else id * 0.5D end as float) as f"),
        expr("cast(id * 0.25 as decimal(12, 2)) as m"),
        expr("date_add(date'1990-01-01', cast(id as int)) as day"),
        expr("timestamp_seconds(id * 3600) as ts"),
        expr("id % 2 = 0 as flag"),
        expr("if(id % 11 = 0, null, named_struct('a', if(id % 13 = 0, null, id))) as st"),
        expr("array(id, id + 1) as list"),
        expr("cast(concat('v', id) as binary) as bin")
      )

  protected def written(name: String, options: Map[String, String], files: DataFrame*): String = {
    files.foreach(_.write.mode("append").options(options).orc(path(name)))
    path(name)
  }

  /** Asserts that a query returns the rows of the oracle: Spark without pushdown. */
  protected def assertSameRows(query: => DataFrame, hint: => String): Unit = {
    val expected =
      withConf("spark.sbbf.enabled" -> "false", "spark.sql.orc.filterPushdown" -> "false")(
        rows(query))
    val found = rows(query)
    if (found != expected)
      fail(
        s"$hint: ${found.size} rows instead of ${expected.size}; missing " +
          s"${expected.diff(found).take(3)}, not expected ${found.diff(expected).take(3)}")
  }

  /** Returns the numbers of kept and of all stripes. */
  protected def kept(query: DataFrame): (Long, Long) =
    pruning(query).fold(fail("no scan is pruned"))(p => (p.keptRowGroups, p.rowGroups))
}
