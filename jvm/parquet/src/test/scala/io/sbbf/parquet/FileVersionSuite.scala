package io.sbbf.parquet

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

final class FileVersionSuite extends AnyFunSuite {
  private val file =
    FileVersion(new Path("s3a://bucket/a.parquet"), 100, 1700000000123L, Some("e"))

  test("an etag says what is the same, whatever a store cuts off of times.") {
    assert(file.isSameAs(file.copy(modificationTime = 1700000000000L)))
    assert(!file.isSameAs(file.copy(etag = Some("f"))))
  }

  test("without two etags it is the time, and always the length and the path.") {
    for (one <- Seq(file, file.copy(etag = None))) {
      assert(one.isSameAs(file.copy(etag = None)))
      assert(!one.isSameAs(file.copy(etag = None, modificationTime = 1700000000124L)))
      assert(!one.isSameAs(one.copy(length = 101)))
      assert(!one.isSameAs(one.copy(path = new Path("s3a://bucket/b.parquet"))))
    }
  }
}
