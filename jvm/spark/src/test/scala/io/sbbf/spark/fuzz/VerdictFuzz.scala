package io.sbbf.spark.fuzz

import org.apache.spark.sql.SparkSession

import io.sbbf.parquet.testing.TestFiles

/** Compares verdicts with rows, for as many tables as the time allows. */
object VerdictFuzz {

  /** The least share of pruned queries that makes a run meaningful. */
  val LeastShare = 0.4

  /** Runs `predicates` on each table, until `queries` have run or `seconds` have passed. */
  def run(
      spark: SparkSession,
      seed: String,
      queries: Int,
      seconds: Int,
      predicates: Int): Tally = {
    val end = System.nanoTime + seconds * 1000000000L
    val tally = new Tally(seed)
    def isEnough() = tally.queries >= queries || System.nanoTime > end
    val corpus =
      new Corpus(TestFiles.folder(), seed, spark.version, predicates)
    try
      while (!isEnough()) {
        val table = new FuzzTable(spark, corpus.next())
        try new VerdictFuzzer(table, tally).run(isEnough _)
        finally table.close()
      }
    finally corpus.close()
    tally
  }

  /**
   * Runs `VerdictFuzz SEED QUERIES SECONDS`, and fails if there is a difference or too few
   * queries are pruned.
   */
  def main(args: Array[String]): Unit = {
    val spark = SparkSession
      .builder()
      .master("local[1]")
      .config("spark.ui.enabled", "false")
      .getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    val start = System.nanoTime
    val tally = run(spark, args(0), args(1).toInt, args(2).toInt, predicates = 2500)
    tally.differences.take(20).foreach(println)
    println(tally)
    println(s"${(System.nanoTime - start) / 1000000000L} s on Spark ${spark.version}")
    spark.stop()
    sys.exit(if (tally.differences.isEmpty && tally.share >= LeastShare) 0 else 1)
  }
}
