package io.sbbf.spark.index

import java.io.File

import scala.util.{Random, Try}

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite

/**
 * Compares random queries on a table with indexes with the oracle: `SBBF_QUERIES` of them, from the
 * seed `SBBF_SEED`. The table and its indexes change meanwhile.
 *
 * {{{
 *   SBBF_QUERIES=10000 SBBF_SEED=7 ./sbt 'spark/testOnly *RandomIndexSuite'
 * }}}
 */
class RandomIndexSuite extends SparkSuite {
  import RandomIndexSuite._

  override protected def settings: Map[String, String] =
    SparkSuite.Interpreted + ("spark.sql.files.openCostInBytes" -> "0")

  private val seed = TestFiles.seed()
  private val queries = TestFiles.queries(150, fewest = 30)

  test("random queries on a table with indexes answer as without the extension") {
    val random = new Random(seed)
    val table = new RandomIndexTable(spark, random, new File(path("table")))
    table.begin()
    spark.range(0, RandomIndexTable.Ids + 500, 1, 1).write.parquet(path("side"))
    spark.read.parquet(path("side")).createOrReplaceTempView("side")
    val generator = new RandomIndexQueries(random)
    var (searched, failed) = (0, 0)
    val differences = (1 to queries).count { n =>
      if (n % QueriesOfTable == 0) println(s"query $n: ${table.change()}")
      spark.read
        .schema(RandomIndexTable.Schema)
        .parquet(table.folder.getPath)
        .createOrReplaceTempView("t")
      val text = generator.next()
      val query = Try(spark.sql(text))
      val found = query.map(rows(_))
      val expected = Try(oracle(spark.sql(text)))
      if (query.toOption.exists(prunings(_).exists(_.isIndexed))) searched += 1
      expected.failed.foreach { e =>
        failed += 1
        if (failed <= MostShown) println(s"Spark alone fails: $text\n$e")
      }
      // Spark alone may fail where pruning leaves out what it cannot read
      val isWrong = expected.isSuccess && found != expected
      if (isWrong) println(s"query $n: $text\nfound $found\nexpected $expected")
      isWrong
    }
    println(s"$searched of $queries queries searched an index; Spark alone fails $failed")
    assert(differences == 0, s"SBBF_SEED=$seed")
    assert(searched > queries / 4 && failed <= 2 + queries / 20, s"SBBF_SEED=$seed")
  }
}

private object RandomIndexSuite {

  /** The number of queries between two changes of the table. */
  private final val QueriesOfTable = 20

  /** The failures of Spark alone that are printed. */
  private final val MostShown = 3
}
