package io.sbbf.spark.session

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.model.Evidence

class WarmUpSuite extends AnyFunSuite {
  private def leftovers(): Set[String] = {
    val files = Files.list(Paths.get(sys.props("java.io.tmpdir")))
    try
      files.iterator.asScala
        .map(_.getFileName.toString)
        .filter(_.startsWith("sbbf-warm-up"))
        .toSet
    finally files.close()
  }

  test("the warm-up reads all evidence of the bundled file, and leaves no file behind.") {
    val before = leftovers()
    val Seq(numbers, texts) = WarmUp.prune()
    assert(numbers.isKnown && numbers.isPruned && texts.isKnown && texts.isPruned)
    assert(numbers.refutedBy.keySet == Set(Evidence.Bloom, Evidence.MinMax))
    assert(texts.refutedBy.keySet == Set(Evidence.Dictionary, Evidence.MinMax))
    assert(leftovers() == before)
  }
}
