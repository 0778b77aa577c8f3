package io.sbbf.spark.late

import scala.collection.mutable
import scala.util.{Random, Try}

import org.apache.logging.log4j.Level

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.{Logged, SparkSuite}

/**
 * Compares random joins with the oracle: `SBBF_QUERIES` of them, from the seed `SBBF_SEED`.
 *
 * {{{
 *   SBBF_QUERIES=10000 SBBF_SEED=7 ./sbt 'spark/testOnly *RandomJoinsSuite'
 * }}}
 */
class RandomJoinsSuite extends LateKeysTables with RandomJoinTables {
  import RandomJoinsSuite._

  override protected def settings: Map[String, String] = SparkSuite.Interpreted

  private val seed = TestFiles.seed()
  private val queries = TestFiles.queries(250, fewest = 30)

  test("random joins answer as without the extension, and late keys prune many.") {
    val random = new Random(seed)
    val (joins, chosen) = (new RandomJoins(random, tableNames), new RandomSettings(random))
    val results = mutable.ArrayBuffer.empty[Result]
    val (_, messages) = Logged.during(Level.WARN) {
      (1 to queries).foreach { n =>
        val (join, settings) = (joins.next(), chosen.next())
        val found = result(join, settings)
        found.difference.foreach(d =>
          println(s"SBBF_SEED=$seed, query $n: ${join.text}\nwith $settings\n$d"))
        results += found
        if (n % 1000 == 0) report(results.toSeq)
      }
    }
    report(results.toSeq)
    assert(!messages.exists(_.contains("failed")), messages)
    val differences = results.count(_.difference.nonEmpty)
    assert(differences == 0, s"of $queries queries, SBBF_SEED=$seed")
    assert(results.count(_.isPruned) >= queries * LeastShare, s"SBBF_SEED=$seed")
  }

  private def result(join: RandomJoin, settings: Seq[(String, String)]): Result =
    withConf(settings: _*) {
      val df = Try(spark.sql(join.text))
      val found = df.map(rows(_)).toEither
      val expected = Try(oracle(spark.sql(join.text))).toEither
      val isPruned = df.toOption.exists(lateKeys(_).nonEmpty)
      Result(join.kind, isPruned, difference(found, expected))
    }

  private def difference(found: Answer, expected: Answer): Option[String] =
    (found, expected) match {
      case (Right(some), Right(all)) =>
        if (some == all) None
        else Some(s"missing ${all.diff(some).take(5)}, additional ${some.diff(all).take(5)}")
      case (Left(e), Left(_)) => Some(s"the oracle fails, too: $e")
      case (Left(e), _) => Some(s"fails: $e")
      case (_, Left(e)) => Some(s"only the oracle fails: $e")
    }

  private def report(results: Seq[Result]): Unit =
    (results.groupBy(_.kind) + ("all" -> results)).toSeq.sortBy(_._1).foreach {
      case (kind, some) => println(s"$kind: ${some.count(_.isPruned)} of ${some.size} pruned")
    }
}

private object RandomJoinsSuite {

  /** The least share of queries of which late keys have to prune a scan. */
  private final val LeastShare = 0.15

  private type Answer = Either[Throwable, Seq[String]]

  /** @param difference how the answer differs from the oracle's */
  private final case class Result(kind: String, isPruned: Boolean, difference: Option[String])
}
