package io.sbbf.orc.file

import java.lang.reflect.Proxy
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FSInputStream, FilterFileSystem, Path}
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector
import org.apache.orc.{OrcFile, Reader, TypeDescription}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.testing.TestFiles

/** Tests what is read of a file, and that its stream is closed. */
class OrcFileReaderSuite extends AnyFunSuite {
  private val conf = OrcFileReader.settings(new Configuration(false))

  /** Writes 5,000 even numbers in stripes of 2,000 rows and row groups of 1,000. */
  private lazy val path: Path = {
    val file = new Path(TestFiles.folder().resolve("f.orc").toUri)
    val settings = new Configuration(false)
    settings.set("orc.stripe.row.count", "2000")
    settings.set("orc.bloom.filter.columns", "k")
    val schema = TypeDescription.fromString("struct<k:bigint,v:bigint>")
    val options = OrcFile.writerOptions(settings).setSchema(schema).rowIndexStride(1000)
    val writer = OrcFile.createWriter(file, options)
    val batch = schema.createRowBatch(1000)
    for (from <- 0 until 5000 by 1000) {
      batch.reset()
      for (n <- 0 until 1000; column <- 0 to 1)
        batch.cols(column).asInstanceOf[LongColumnVector].vector(n) = 2L * (from + n)
      batch.size = 1000
      writer.addRowBatch(batch)
    }
    writer.close()
    file
  }

  private def read[T](reads: CountedReads = new CountedReads)(body: OrcFileReader => T): T = {
    val fs = path.getFileSystem(conf)
    val reader =
      OrcFileReader.open(reads.of(fs), path, fs.getFileStatus(path).getLen, conf)
    try body(reader)
    finally reader.close()
  }

  test("each stripe has statistics, and its row groups have filters.") {
    read() { reader =>
      assert(reader.tail.stripes.map(_.rows).sum == 5000 && reader.tail.unusable.isEmpty)
      val stripes = reader.tail.stripes.indices
      assert(reader.statistics(1).map(_.getNumberOfValues).sum == 5000)
      val found = stripes.map(reader.rowGroups(_, Seq(1, 2)))
      val keys = found.map(_.head.get)
      assert(keys.map(_.size).sum == 5)
      assert(keys.flatMap(k => (0 until k.size).map(k.rows)).sum == 5000)
      val hits = keys.map(k => (0 until k.size).count(k.filter(_).testLong(4242)))
      assert(hits.sum == 1)
      assert(found.forall(_.last.get.filter(0) == null), "a column without filters")
    }
  }

  test("a file is opened once, and its data is not read.") {
    val reads = new CountedReads
    val data = read(reads) { reader =>
      reader.tail.stripes.indices.foreach(reader.rowGroups(_, Seq(1)))
      reader.tail.stripes.map(_.bytes).sum
    }
    assert(reads.opens == 1)
    assert(reads.bytes > 0 && reads.bytes < data + (16 << 10))
  }

  /** Counts the open streams of the file. */
  private final class CountedStreams extends FilterFileSystem(path.getFileSystem(conf)) {
    val streams = new AtomicInteger

    override def open(file: Path, bufferSize: Int): FSDataInputStream = {
      val in = super.open(file, bufferSize)
      streams.incrementAndGet()
      new FSDataInputStream(new FSInputStream {
        override def seek(position: Long): Unit = in.seek(position)
        override def getPos: Long = in.getPos
        override def seekToNewSource(target: Long): Boolean = false
        override def read(): Int = in.read()
        override def close(): Unit = {
          streams.decrementAndGet()
          in.close()
        }
      })
    }
  }

  test("the stream is closed, whether indexes were read or not.") {
    val fs = new CountedStreams
    for (readsIndexes <- Seq(true, false)) {
      val reader = OrcFileReader.open(fs, path, fs.getFileStatus(path).getLen, conf)
      assert(fs.streams.get == 1)
      if (readsIndexes) reader.rowGroups(0, Seq(1))
      reader.close()
      assert(fs.streams.get == 0)
    }
  }

  test("the stream is closed if the tail cannot be used.") {
    val fs = new CountedStreams
    val reader = OrcFile.createReader(path, OrcFile.readerOptions(conf).filesystem(fs))
    val invalid = Proxy.newProxyInstance(
      getClass.getClassLoader,
      Array(classOf[Reader]),
      (_, method, arguments) =>
        if (method.getName == "getStripes") throw new IllegalStateException("invalid stripes")
        else method.invoke(reader, Option(arguments).toSeq.flatten: _*)
    )
    assert(fs.streams.get == 1)
    intercept[IllegalStateException](OrcFileReader.of(invalid.asInstanceOf[Reader]))
    assert(fs.streams.get == 0)
  }
}
