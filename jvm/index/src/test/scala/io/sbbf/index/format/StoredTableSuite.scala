package io.sbbf.index.format

import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.Files
import java.util.zip.CRC32

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.testing.TestFiles

class StoredTableSuite extends AnyFunSuite {

  private def error(content: Array[Byte]): Throwable = {
    val folder = TestFiles.folder()
    Files.write(folder.resolve("t.parquet"), content)
    val crc = new CRC32
    crc.update(content, 0, content.length)
    val table = StoredTable("t.parquet", content.length.toLong, rows = 1, crc.getValue)
    intercept[Throwable](table.read(new Path(folder.toUri), new Configuration(false))(_ => ()))
  }

  test("a file of the right checksum that Parquet cannot read is damaged, not out of reach.") {
    val magic = "PAR1".getBytes(US_ASCII)
    val invalidThrift = magic ++ Array.fill[Byte](20)(-1) ++ Array[Byte](20, 0, 0, 0) ++ magic
    for (content <- Seq(invalidThrift, magic ++ magic, Array[Byte](1, 2, 3)))
      assert(error(content).isInstanceOf[DamagedIndex], error(content))
  }
}
