package io.sbbf.spark.fuzz

import scala.collection.mutable

/** Counts the queries of a run of the fuzzer and collects the differences. */
final class Tally(seed: String) {
  var queries = 0

  /** The number of queries for which a row group provably has no match. */
  var pruned = 0

  /** The number of queries that Spark's optimizer answered, or whose filter it removed. */
  var folded = 0

  /** The number of rows for which a predicate raised an error (ANSI mode); they do not match. */
  var raised = 0L

  /** The predicates that Spark cannot plan: count and an example for each of Spark's messages. */
  val refused: mutable.Map[String, (Int, String)] = mutable.Map.empty
  val differences: mutable.Buffer[String] = mutable.Buffer.empty

  def refuse(predicate: String, e: Throwable): Unit = {
    val kind = Option(e.getMessage).getOrElse(e.toString).split("[\n.]").head.take(80)
    refused(kind) = (refused.get(kind).fold(1)(_._1 + 1), predicate)
  }

  def differ(table: FuzzTable, file: FuzzFile, sql: String, what: String): Unit =
    differences += s"DIFFERENCE (seed $seed, ${table.name}) $what\n  predicate: $sql\n" +
      s"  file: ${file.writer}\n  ${table.describe}"

  /** Returns the share of pruned queries among those that Spark planned. */
  def share: Double = pruned.toDouble / math.max(1, queries - refused.values.map(_._1).sum)

  override def toString: String =
    f"seed $seed: $queries verdict queries, ${differences.size} differences, " +
      f"${share * 100}%.1f%% with fewer row groups, $folded answered by the optimizer, " +
      s"${refused.values.map(_._1).sum} refused by Spark, $raised rows raised\n" +
      refused.map { case (why, (n, one)) => s"  refused $n times: $why, as in $one\n" }.mkString
}
