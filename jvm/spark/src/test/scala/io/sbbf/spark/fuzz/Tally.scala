package io.sbbf.spark.fuzz

import scala.collection.mutable

/** What a run of the fuzzer has seen. */
final class Tally(seed: String) {
  var queries = 0

  /** Queries for which a row group was proven to have no match. */
  var pruned = 0

  /** Queries that Spark's optimizer answered, or freed of their filter, by itself. */
  var folded = 0

  /** Rows on which a predicate raised, as it may in ANSI mode: they match nothing. */
  var raised = 0L

  /** Predicates that Spark itself refuses to plan, by what it says, with one of each. */
  val refused: mutable.Map[String, (Int, String)] = mutable.Map.empty
  val differences: mutable.Buffer[String] = mutable.Buffer.empty

  def refuse(predicate: String, e: Throwable): Unit = {
    val kind = Option(e.getMessage).getOrElse(e.toString).split("[\n.]").head.take(80)
    refused(kind) = (refused.get(kind).fold(1)(_._1 + 1), predicate)
  }

  def differ(table: FuzzTable, file: FuzzFile, sql: String, what: String): Unit =
    differences += s"DIFFERENCE (seed $seed, ${table.name}) $what\n  predicate: $sql\n" +
      s"  file: ${file.writer}\n  ${table.describe}"

  /** Of the queries that were planned at all. */
  def share: Double = pruned.toDouble / math.max(1, queries - refused.values.map(_._1).sum)

  override def toString: String =
    f"seed $seed: $queries verdict queries, ${differences.size} differences, " +
      f"${share * 100}%.1f%% with fewer row groups, $folded answered by the optimizer, " +
      s"${refused.values.map(_._1).sum} refused by Spark, $raised rows raised\n" +
      refused.map { case (why, (n, one)) => s"  refused $n times: $why, as in $one\n" }.mkString
}
