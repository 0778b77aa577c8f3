package io.sbbf.spark.iceberg

import org.scalatest.funsuite.AnyFunSuite

final class IcebergFileSuite extends AnyFunSuite {

  test("a file is evidence only if its path identifies it in its store.") {
    val table = Seq(
      ("file:/lake/a.parquet", true),
      ("file:///lake/a.parquet", true),
      ("hdfs:///lake/a.parquet", true),
      ("/lake/a.parquet", true),
      ("s3://bucket/lake/a b%20c.parquet", true),
      ("s3://bucket/lake//a.parquet", false),
      ("s3://bucket//lake/a.parquet", false),
      ("s3://bucket/lake/a.parquet/", false)
    )
    for ((location, isEvidence) <- table)
      assert(IcebergFile.of(location, 5, "t", 1L).isDefined == isEvidence, location)
  }

  test("a file keeps its location and its length.") {
    val file = IcebergFile.of("hdfs:///lake/a.parquet", 5, "t", 1L).get
    assert(file.location == "hdfs:///lake/a.parquet" && file.getLen == 5)
    assert(file.getPath.toString == "hdfs:/lake/a.parquet")
  }

  test("evidence is not shared by files of other tables or commits, and may be cached.") {
    val versions =
      for (table <- Seq("t", "u"); sequence <- Seq[Any](1L, 2L, null))
        yield IcebergFile.listed("/a.parquet", 5, table, sequence).getModificationTime
    assert(versions.distinct.size == 6 && versions.forall(v => v > 0 && v < (1L << 33)))
  }
}
