package io.sbbf.spark.index

import java.io.File

import scala.util.{Random, Try}

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite

/**
 * Compares random queries on a table with indexes with the oracle: `sbbf.queries` of them, from the
 * seed `sbbf.seed`. The table and its indexes change meanwhile.
 *
 * {{{
 *   ./sbt -Dsbbf.queries=10000 -Dsbbf.seed=7 'spark/testOnly *RandomIndexSuite'
 * }}}
 */
class RandomIndexSuite extends SparkSuite {
  import RandomIndexSuite._

  override protected def settings: Map[String, String] =
    SparkSuite.Interpreted + ("spark.sql.files.openCostInBytes" -> "0")

  private val seed = sys.props.get("sbbf.seed").fold(System.nanoTime)(_.toLong)
  private val queries =
    sys.props.get("sbbf.queries").fold(TestFiles.times(150, fewest = 60))(_.toInt)

  test("random queries on a table with indexes answer as without the extension") {
    println(s"sbbf.seed=$seed")
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
    assert(differences == 0, s"sbbf.seed=$seed")
    assert(searched > queries / 4 && failed <= 2 + queries / 20, s"sbbf.seed=$seed")
  }
}

private object RandomIndexSuite {

  /** The number of queries between two changes of the table. */
  private final val QueriesOfTable = 20

  /** The failures of Spark alone that are printed. */
  private final val MostShown = 3
}
