package io.sbbf.parquet.eval

import io.sbbf.parquet.model.Evidence

/** Counts the refuted row groups of one file by the evidence that refuted them. Not thread-safe. */
private[parquet] final class RefutedCounts {
  private var nullCount = 0
  private var minMax = 0
  private var bloom = 0

  def reset(): Unit = {
    nullCount = 0
    minMax = 0
    bloom = 0
  }

  def add(evidence: Evidence): Unit =
    if (evidence eq Evidence.Bloom) bloom += 1
    else if (evidence eq Evidence.MinMax) minMax += 1
    else if (evidence eq Evidence.NullCount) nullCount += 1
    else throw new IllegalArgumentException(s"$evidence is not counted")

  /** Returns a number that identifies the counts among files with as many row groups. */
  def code: Long = (minMax.toLong << 32) | bloom

  def toMap: Map[Evidence, Int] =
    Map(Evidence.NullCount -> nullCount, Evidence.MinMax -> minMax, Evidence.Bloom -> bloom)
      .filter(_._2 > 0)
}
