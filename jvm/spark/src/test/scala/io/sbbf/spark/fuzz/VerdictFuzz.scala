package io.sbbf.spark.fuzz

import java.nio.file.Files

import org.apache.spark.sql.SparkSession

/** Verdicts against rows, over as many tables as there is time for. */
object VerdictFuzz {

  /** Of the queries, those that have to be pruned, or the others prove little. */
  val LeastShare = 0.4

  /** Asks `predicates` of each table until `queries` are asked or `seconds` are over. */
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
      new Corpus(Files.createTempDirectory("sbbf-fuzz"), seed, spark.version, predicates)
    try
      while (!isEnough()) {
        val table = new FuzzTable(spark, corpus.next())
        try new VerdictFuzzer(table, tally).run(isEnough _)
        finally table.close()
      }
    finally corpus.close()
    tally
  }

  /** `VerdictFuzz SEED QUERIES SECONDS`; fails on a difference, and where too little was pruned. */
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
