package io.sbbf.parquet.model

import java.io.IOException
import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, FilterFileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.testing.TestFiles

/** Opens files, but reports no status. */
private final class NoStatus(local: FileSystem) extends FilterFileSystem(local) {
  override def getFileStatus(path: Path): FileStatus = throw new IOException("no status")
}

final class FileVersionSuite extends AnyFunSuite {
  private val file =
    FileVersion(new Path("s3a://bucket/a.parquet"), 100, 1700000000123L, Some("e"))

  test("another version than the expected one is not read") {
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
    val unverified = new FileBytes(new NoStatus(store), path, 100, tailBytes = 10)
    unverified.expect(version)
    for (_ <- 1 to 2) intercept[IOException](unverified.read(5, 10))
  }

  test("two ETags decide whether versions are the same, even if a store truncates times.") {
    assert(file.isSameAs(file.copy(modificationTime = 1700000000000L)))
    assert(!file.isSameAs(file.copy(etag = Some("f"))))
  }

  test("without two ETags the time decides, and always the length and the path.") {
    for (one <- Seq(file, file.copy(etag = None))) {
      assert(one.isSameAs(file.copy(etag = None)))
      assert(!one.isSameAs(file.copy(etag = None, modificationTime = 1700000000124L)))
      assert(!one.isSameAs(one.copy(length = 101)))
      assert(!one.isSameAs(one.copy(path = new Path("s3a://bucket/b.parquet"))))
    }
  }
}
