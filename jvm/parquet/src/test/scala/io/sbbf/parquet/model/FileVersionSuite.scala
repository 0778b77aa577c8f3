package io.sbbf.parquet.model

import java.io.IOException
import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, FilterFileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.testing.TestFiles

/** Opens files, and does not tell what they are. */
private final class Untold(stock: FileSystem) extends FilterFileSystem(stock) {
  override def getFileStatus(path: Path): FileStatus = throw new IOException("no answer")
}

final class FileVersionSuite extends AnyFunSuite {
  private val file =
    FileVersion(new Path("s3a://bucket/a.parquet"), 100, 1700000000123L, Some("e"))

  test("nothing is read of another version than is expected") {
    val file = Files.write(TestFiles.fresh(), new Array[Byte](100))
    val path = new Path(file.toUri)
    val store = path.getFileSystem(new Configuration(false))
    val version = FileVersion.of(store.getFileStatus(path))
    def bytes(expected: FileVersion) = {
      val bytes = new FileBytes(store, path, 100, tailBytes = 10)
      bytes.expect(expected)
      bytes
    }
    assert(bytes(version).read(5, 10).length == 10)
    val another = bytes(version.copy(modificationTime = 1))
    for (_ <- 1 to 2)
      assert(intercept[IOException](another.read(5, 10)).getMessage.contains("replaced"))
    val untold = new FileBytes(new Untold(store), path, 100, tailBytes = 10)
    untold.expect(version)
    for (_ <- 1 to 2) intercept[IOException](untold.read(5, 10))
  }

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
