package io.sbbf.spark.scan

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{EtagSource, FileStatus, Path}

import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.footer.FooterReader
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.prune.FooterCache
import io.sbbf.spark.testing.SparkSuite

class FooterCacheSuite extends SparkSuite {

  private val numColumns = 20

  /** Reads the footer of one file at each call: 20 columns, several row groups. */
  private lazy val readFooter: () => FileEvidence = {
    val target = path("wide")
    spark
      .range(0, 4000, 1, 1)
      .selectExpr((0 until numColumns).map(c => s"id * ${c + 1} AS c$c"): _*)
      .write
      .option("parquet.block.size", "65536")
      .option("parquet.page.row.count.limit", "500")
      .parquet(target)
    val files = spark.read.parquet(target).inputFiles
    val file = new Path(files.head)
    val fs = file.getFileSystem(new Configuration)
    val length = fs.getFileStatus(file).getLen
    () => {
      val bytes = new FileBytes(fs, file, length, 65536)
      try new FileEvidence(FooterReader.read(bytes))
      finally bytes.close()
    }
  }

  private def version(i: Int): FileVersion =
    FileVersion(new Path(f"file:/table/part-$i%05d.parquet"), 1000L, 1L)
  private val now = 1000000L

  test("10,000 footers stay within the bound, and the least recently used go first.") {
    val cache = new FooterCache
    val bound = 4L << 20
    (0 until 10000).foreach { i =>
      cache.put(version(i), readFooter(), now, bound)
      cache.get(version(0))
      assert(cache.retainedBytes <= bound)
    }
    assert(cache.size > 100 && cache.size < 10000)
    assert(cache.get(version(0)).isDefined && cache.get(version(9999)).isDefined)
    assert(cache.get(version(1)).isEmpty)
  }

  test("a cached footer takes less than 100 bytes per column chunk, as the heap confirms.") {
    val cache = new FooterCache
    readFooter()
    def heap(): Long = {
      (0 until 3).foreach { _ => System.gc(); Thread.sleep(50) }
      Runtime.getRuntime.totalMemory - Runtime.getRuntime.freeMemory
    }
    val before = heap()
    (0 until 5000).foreach(i => cache.put(version(i), readFooter(), now, Long.MaxValue))
    val measured = heap() - before
    val rowGroups = readFooter().footer.numRowGroups
    val counted = cache.retainedBytes
    info(f"${counted / 5000}%,d bytes a file of $rowGroups row groups and $numColumns columns, " +
      f"${counted / 5000.0 / rowGroups / numColumns}%.1f for each of both; the heap grew by ${measured / 5000}%,d a file")
    assert(cache.size == 5000)
    assert(counted / 5000.0 / rowGroups / numColumns < 100)
    assert(counted > measured * 0.7 && counted < measured * 1.5)
  }

  test("a footer read within two seconds of the file's modification is not used again.") {
    val cache = new FooterCache
    val fresh = FileVersion(new Path("file:/a"), 10L, now)
    cache.put(fresh, readFooter(), now + 1999, 1L << 20)
    assert(cache.get(fresh).isEmpty)
    cache.put(fresh, readFooter(), now + 2000, 1L << 20)
    assert(cache.get(fresh).isDefined)
  }

  test("a file without a modification time is never cached, unless it has an ETag.") {
    val cache = new FooterCache
    for (time <- Seq(0L, -1L)) {
      val undated = FileVersion(new Path("file:/a"), 10L, time)
      cache.put(undated, readFooter(), now, 1L << 20)
      assert(cache.get(undated).isEmpty)
      cache.put(undated.copy(etag = Some("a")), readFooter(), now, 1L << 20)
      assert(cache.get(undated.copy(etag = Some("a"))).isDefined)
    }
  }

  private final class Tagged(tag: String)
      extends FileStatus(10L, false, 1, 10L, 0L, new Path("file:/tagged"))
      with EtagSource {
    override def getEtag: String = tag
  }

  test("ETags distinguish versions of the same length and modification time.") {
    val plain = new FileStatus(10L, false, 1, 10L, 0L, new Path("file:/tagged"))
    val versions = Seq(plain, new Tagged(null), new Tagged("a"), new Tagged("b"))
      .map(FileVersion.of)
    assert(versions(0) == versions(1) && versions.distinct.size == 3)
  }

  test("another length, modification time or etag is another file.") {
    val cache = new FooterCache
    cache.put(version(1), readFooter(), now, 1L << 20)
    assert(cache.get(version(1).copy(length = 1001L)).isEmpty)
    assert(cache.get(version(1).copy(modificationTime = 2L)).isEmpty)
    assert(cache.get(version(1).copy(etag = Some("b"))).isEmpty)
  }

  test("an entry that grows is counted again, and evicted if it no longer fits.") {
    val cache = new FooterCache
    cache.put(version(1), readFooter(), now, 1L << 20)
    val before = cache.retainedBytes
    cache.reweigh(version(1), 1L << 20)
    assert(cache.retainedBytes == before)
    cache.reweigh(version(1), before - 1)
    assert(cache.size == 0 && cache.retainedBytes == 0)
  }

  test("concurrent queries keep the counted size correct.") {
    val cache = new FooterCache
    val evidence = readFooter()
    val threads = (0 until 4).map(t =>
      new Thread(() =>
        (0 until 2000).foreach { i =>
          cache.put(version(i % 50 + t), evidence, now, 200000L)
          cache.get(version(i % 60))
          cache.reweigh(version(i % 50), 200000L)
        }))
    threads.foreach(_.start())
    threads.foreach(_.join())
    assert(cache.retainedBytes <= 200000L)
    cache.put(version(1), evidence, now, 0L)
    assert(cache.size == 0 && cache.retainedBytes == 0)
  }
}
