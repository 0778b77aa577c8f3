package io.sbbf.spark.orc

import scala.util.Random

import org.apache.spark.sql.DataFrame

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite

/**
 * Compares random queries on ORC files with the oracle. Runs 200 queries, or as many as
 * `SBBF_QUERIES` says.
 */
class RandomOrcSuite extends OrcTables {

  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  private val random = new Random(TestFiles.seed())
  private val queries = TestFiles.queries(200, fewest = 30)

  /** Literals of each column, of which some files hold some. */
  private val literals: Map[String, () => String] = Map(
    "id" -> (() => s"${number()}L"),
    "i" -> (() => number().toString),
    "h" -> (() => s"${number() % 30000}S"),
    "name" -> (() => one("'key-" + number() + "'", "''", "'\ud83d\ude00'", "'key-'")),
    "d" -> (() =>
      one(s"${number() * 0.5}D", "0.0D", "-0.0D", "double('NaN')", "double('-Infinity')")),
    "f" -> (() =>
      one(s"float(${number() * 0.5})", "float('-0.0')", "float('0')", "float('NaN')")),
    "m" -> (() =>
      one(s"${number() * 0.25}", "0.001", "-1.5", s"cast(${number()} as decimal(20,4))")),
    "day" -> (() =>
      one(s"date_add(date'1990-01-01', ${number()})", "date'1500-01-01'", "date'0001-01-01'")),
    "ts" -> (() => s"timestamp_seconds(${number() * 3600L})"),
    "flag" -> (() => one("true", "false")),
    "st.a" -> (() => s"${number()}L"),
    "v" -> (() => one(s"'v${number() % 50}'", "'v1   '", "'v'")),
    "c" -> (() => one(s"'c${number() % 50}'", "'c1   '", "'c1'"))
  )

  private def number(): Int = random.nextInt(9000) - 100
  private def one(of: String*): String = of(random.nextInt(of.size))

  private def test(): String = {
    val (column, literal) = literals.toSeq(random.nextInt(literals.size))
    random.nextInt(10) match {
      case 0 => s"$column IS ${one("", "NOT ")}NULL"
      case 1 | 2 => s"$column IN (${Seq.fill(1 + random.nextInt(4))(literal()).mkString(", ")})"
      case 3 | 4 => s"$column ${one("<", "<=", ">", ">=", "!=")} ${literal()}"
      case 5 => s"$column <=> ${one(literal(), "NULL")}"
      case 6 if column == "name" => s"name LIKE 'key-${number() % 100}%'"
      case _ => s"$column = ${literal()}"
    }
  }

  private def predicate(depth: Int): String =
    if (depth == 0 || random.nextInt(3) == 0) test()
    else
      random.nextInt(5) match {
        case 0 => s"NOT (${predicate(depth - 1)})"
        case 1 | 2 => s"(${predicate(depth - 1)} AND ${predicate(depth - 1)})"
        case _ => s"(${predicate(depth - 1)} OR ${predicate(depth - 1)})"
      }

  private def withTexts(rows: DataFrame): DataFrame = {
    rows.createOrReplaceTempView("typed")
    spark.sql("SELECT *, concat('v', id % 50) AS v, concat('c', id % 50) AS c FROM typed")
  }

  private lazy val table = {
    val all = "id,i,h,name,d,f,m,day,ts,flag,st.a,v,c"
    spark.sql(
      "CREATE TABLE random_orc (id bigint, i int, h smallint, name string, d double, f float, " +
        "m decimal(12,2), day date, ts timestamp, flag boolean, st struct<a: bigint>, " +
        "list array<bigint>, bin binary, v varchar(9), c char(5)) USING orc")
    val location = new java.io.File(folder, "warehouse/random_orc").getPath
    def insert(rows: DataFrame, options: Map[String, String]): Unit =
      withTexts(rows).write.mode("append").options(options).insertInto("random_orc")
    Seq(
      filters(all),
      filters(all) + ("orc.bloom.filter.write.version" -> "original"),
      filters("id,name,d") + ("orc.write.format" -> "0.11"),
      Map.empty[String, String]
    ).zipWithIndex.foreach { case (options, n) =>
      withConf((small ++ options).map { case (k, v) => s"spark.hadoop.$k" -> v }.toSeq: _*) {
        insert(typed(n * 1000, n * 1000 + 4000), small ++ options)
      }
    }
    // older and wider columns than the table has
    typed(0, 3000)
      .selectExpr("cast(id as int) as id", "cast(i as bigint) as i", "name", "flag")
      .write
      .mode("append")
      .options(small ++ filters("*"))
      .orc(location)
    spark.catalog.refreshTable("random_orc")
    "random_orc"
  }

  test("random queries return the rows of the oracle.") {
    var pruned = 0
    for (n <- 0 until queries) {
      val condition = predicate(2)
      def query = spark.table(table).where(condition).select("id", "name", "d")
      assertSameRows(query, s"query $n: $condition")
      if (pruning(query).exists(p => p.keptRowGroups < p.rowGroups)) pruned += 1
    }
    info(s"$pruned of $queries queries planned fewer stripes")
    assert(pruned * 5 > queries)
  }
}
