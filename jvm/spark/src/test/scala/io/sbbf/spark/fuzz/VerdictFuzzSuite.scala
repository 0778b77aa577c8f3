package io.sbbf.spark.fuzz

import java.io.File

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.spark.testing.SparkSuite

class VerdictFuzzSuite extends SparkSuite {
  private val seed = sys.env.getOrElse("SBBF_SEED", "20261121")

  test("no verdict about a row group contradicts its rows, and many prune.") {
    assume(new File(Corpus.python).exists, s"no ${Corpus.python}: run 'make setup' first")
    val queries = 3000 / TestFiles.stride
    val tally = VerdictFuzz.run(spark, seed, queries, seconds = Int.MaxValue, predicates = 300)
    println(tally)
    assert(tally.differences.isEmpty, tally.differences.headOption.getOrElse(""))
    assert(tally.share >= VerdictFuzz.LeastShare)
    assert(tally.refused.values.map(_._1).sum < tally.queries / 50)
  }
}
