package io.sbbf.parquet.eval

import java.io.ByteArrayInputStream
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path => JPath}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.concurrent.{Callable, Executors, TimeUnit}

import scala.collection.mutable
import scala.util.Random
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.format.{ColumnChunk, RowGroup}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.io.ColumnIOFactory
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{In, IsNotNull, Test}
import io.sbbf.core.predicate.Value.{Bytes, IntegerLiteral}
import io.sbbf.core.predicate.Verdict.CannotMatch
import io.sbbf.parquet.chunk.FilterState
import io.sbbf.parquet.footer.FileFooter
import io.sbbf.parquet.model.{ColumnType, UnusableFile}
import io.sbbf.parquet.testing.{Damage, SampleFile, TestFile, TestFiles}

/**
 * Does no damage to a file cost a row? SBBF_DAMAGES sets the number of files, SBBF_SEED the seed.
 */
final class DamageSuite extends AnyFunSuite {
  import DamageSuite._

  test("damaged files lose no row, raise nothing, take no long time and no great memory") {
    val damages = sys.env.get("SBBF_DAMAGES").fold(2000)(_.toInt)
    val random = new Random(TestFiles.seed())
    val damage = new Damage(random)
    val path = TestFiles.fresh()
    val seen = mutable.Map.empty[String, Int].withDefaultValue(0)
    var done = 0
    while (done < damages) {
      val sample = SampleFile.all(random.nextInt(SampleFile.all.length))
      damage.of(sample) match {
        case (what, Some(bytes)) =>
          Files.write(path, bytes)
          val hint = s"${sample.name}, $what, file $done"
          val pass = inTime(hint)(probe(sample, path))
          assert(pass.allocated < MaxAllocated + 200L * bytes.length, hint)
          assert(lost(path, pass.refuted).isEmpty, hint)
          pass.footer.foreach(checkRanges(_, bytes, hint))
          seen(if (pass.footer.isEmpty) "refused files" else "read files") += 1
          seen("row groups from which absent keys were kept out") += pass.absentRefuted
          pass.rejected.foreach(reason => seen(s"filter rejected: $reason") += 1)
          done += 1
        case (_, None) => seen("damages that say something else of values") += 1
      }
    }
    println(s"$done damaged files")
    seen.toSeq.sortBy(-_._2).foreach { case (what, n) => println(f"  $n%7d $what") }
    assert(seen("refused files") > done / 20 && seen("read files") > done / 3)
    assert(seen("row groups from which absent keys were kept out") > done)
    val reasons =
      Seq("damaged header", "sizes disagree", "invalid length", "offset outside of the file")
    reasons.foreach(reason => assert(seen(s"filter rejected: $reason") > done / 200, reason))
  }

  test("sound files keep what they hold and rule out nearly all else, with or without lengths") {
    val path = TestFiles.fresh()
    for (sample <- SampleFile.all) {
      Files.write(path, sample.bytes)
      val pass = probe(sample, path)
      assert(pass.refuted.isEmpty && pass.rejected.isEmpty, sample.name)
      assert(pass.absentRefuted >= SampleFile.RowGroups * Probed * 9 / 10, sample.name)
    }
  }

  /** The wrong sizes that parquet-mr accepts; `numBytes` of the sound filter is 256 here. */
  private val lies: Seq[(String, Int => Int)] = Seq(
    "31" -> (_ => 31),
    "33" -> (_ => 33),
    "47" -> (_ => 47),
    "half" -> (_ / 2),
    "double" -> (_ * 2),
    "a quarter" -> (_ / 4),
    "into the footer" -> (_ * 12),
    "2 GiB" -> (_ => Int.MaxValue - 31)
  )

  test("a header that lies about its size is seen through, which parquet-mr does not") {
    val path = TestFiles.fresh()
    val losses = for {
      sample <- SampleFile.all if sample.name.endsWith("filter lengths")
      (lie, size) <- lies
    } yield {
      Files.write(path, withSizes(sample, size))
      val pass = probe(sample, path)
      assert(pass.refuted.isEmpty && pass.allocated < MaxAllocated, s"${sample.name}: $lie")
      assert(pass.rejected.nonEmpty, s"${sample.name}: $lie")
      if (lie == "2 GiB") 0
      else lostByParquetMr(path, (0 until sample.keys).map(sample.key(0, _)))
    }
    println(s"parquet-mr loses of 100 keys, by lie: ${losses.mkString(", ")}")
    assert(losses.exists(_ > 0))
  }

  test("a footer that claims more chunks than it holds costs no memory") {
    val sample = SampleFile.all.head
    val crowded = Damage.rewrite(sample.bytes) { (m, _) =>
      val (leaf, groups) = (m.getSchema.get(1), m.getRow_groups)
      (0 until 2000).foreach(i => m.getSchema.add(leaf.deepCopy().setName(s"c$i")))
      m.getSchema.get(0).setNum_children(m.getSchema.size - 1)
      (0 until 2000).foreach { _ =>
        groups.add(new RowGroup(new java.util.ArrayList[ColumnChunk], 0, 0))
      }
    }
    val path = TestFiles.fresh()
    Files.write(path, crowded)
    val pass = probe(sample, path)
    assert(pass.footer.isEmpty && pass.allocated < MaxAllocated)
  }

  test(
    "a list that says it holds bytes, where row groups are due, costs neither heap nor stack") {
    // read as a row group, these claim 20,000,000 chunks, and structs within one another
    for (bytes <- Seq(Array(0x19, 0xfc, 0x80, 0xda, 0xc4, 9), Array.fill(100000)(0x1c))) {
      val size = Seq(0, 7, 14).map(bytes.length >>> _ & 0x7f)
      // version, no schema, no rows, and a list of bytes, with its size as a varint
      val head =
        Seq(0x15, 2, 0x19, 0x0c, 0x16, 0, 0x19, 0xf3, size(0) | 0x80, size(1) | 0x80, size(2))
      val footer = (head ++ bytes :+ 0).map(_.toByte).toArray
      val length = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(footer.length)
      val path = TestFiles.fresh()
      Files.write(path, "PAR1".getBytes ++ footer ++ length.array ++ "PAR1".getBytes)
      val pass = probe(SampleFile.all.head, path)
      assert(pass.footer.isEmpty && pass.allocated < MaxAllocated)
    }
  }

  test("headers that nest without end cost neither stack nor heap") {
    val sample = SampleFile.all.find(_.name == "parquet-mr, without filter lengths").get
    val (metadata, start) = TestFiles.footerOf(sample.bytes)
    val deep = Array.fill(100000)(0x1c.toByte)
    val filtered = Damage.filtered(metadata)
    filtered.zipWithIndex.foreach { case (column, i) =>
      column.setBloom_filter_offset(start + i.toLong * deep.length)
    }
    val headers = filtered.flatMap(_ => deep).toArray
    val path = TestFiles.withFooter(sample.bytes.take(start) ++ headers, metadata)
    val pass = probe(sample, path)
    assert(pass.refuted.isEmpty && pass.allocated < MaxAllocated)
    assert(pass.rejected == filtered.map(_ => "damaged header"))
  }
}

object DamageSuite {

  /** The number of present and of absent keys that are probed in each row group. */
  private final val Probed = 4

  /** The bytes that probing a small file may allocate: its tail, footer and filters. */
  private final val MaxAllocated = 8L << 20

  private final case class Pass(
      footer: Option[FileFooter],
      refuted: Seq[(Int, Long)],
      absentRefuted: Int,
      rejected: Seq[String],
      allocated: Long)

  private val threads =
    ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  private lazy val worker = Executors.newSingleThreadExecutor { (work: Runnable) =>
    val thread = new Thread(work, "damage")
    thread.setDaemon(true)
    thread
  }

  private def inTime[T](hint: String)(body: => T): T =
    try worker.submit((() => body): Callable[T]).get(20, TimeUnit.SECONDS)
    catch {
      case e: java.util.concurrent.TimeoutException => throw new Exception(s"hangs: $hint", e)
    }

  /** Probes some present and absent keys; any error but UnusableFile fails the test. */
  private def probe(sample: SampleFile, path: JPath): Pass = {
    val before = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
    val file = new TestFile(path)
    try {
      val groups = math.min(SampleFile.RowGroups, file.footer.numRowGroups)
      val refuted = for {
        g <- 0 until groups
        n <- 0 until sample.keys by sample.keys / Probed
        key = sample.key(g, n)
        test <- tests(key)
        if file.evaluate(test._1, test._2)(g).verdict == CannotMatch
      } yield (g, key)
      val absent =
        (1 to Probed).map(n =>
          file.evaluate("id", In(Seq(IntegerLiteral(sample.key(0, n) + 1, 64)))))
      val rejected = for {
        g <- 0 until groups
        name <- Seq("id", "text")
        c = file.column(name)
        if c >= 0
        reason <- file.evidence.filter(g, c, file.bytes) match {
          case FilterState.Rejected(reason) => Some(reason)
          case _ => None
        }
      } yield reason
      Pass(
        Some(file.footer),
        refuted.distinct,
        absent.flatten.count(_.verdict == CannotMatch),
        rejected,
        threads.getThreadAllocatedBytes(Thread.currentThread.getId) - before
      )
    } catch {
      case _: UnusableFile =>
        val allocated = threads.getThreadAllocatedBytes(Thread.currentThread.getId) - before
        Pass(None, Nil, 0, Nil, allocated)
    } finally file.bytes.close()
  }

  private def tests(key: Long): Seq[(String, Test)] = Seq(
    "id" -> In(Seq(IntegerLiteral(key, 64))),
    "id" -> IsNotNull,
    "text" -> In(Seq(Bytes(key.toString.getBytes, text = true))))

  /** Returns the refuted keys that parquet-mr still finds when it reads the whole row group. */
  private def lost(path: JPath, refuted: Seq[(Int, Long)]): Seq[(Int, Long)] =
    if (refuted.isEmpty) Nil
    else
      try {
        val rows = everyRow(path, refuted.map(_._1).max)
        refuted.filter { case (g, key) => rows.lift(g).exists(_.contains(key)) }
      } catch { case NonFatal(_) | _: OutOfMemoryError => Nil }

  private def everyRow(path: JPath, last: Int): Seq[Set[Long]] = {
    val reader = open(path)
    try {
      val schema = reader.getFooter.getFileMetaData.getSchema
      val columns = new ColumnIOFactory().getColumnIO(schema)
      (0 to last).map { _ =>
        val pages = reader.readNextRowGroup()
        val records = columns.getRecordReader(pages, new GroupRecordConverter(schema))
        Iterator
          .fill(math.min(pages.getRowCount, 10000L).toInt)(
            (records.read(): Group).getLong("id", 0))
          .toSet
      }
    } finally reader.close()
  }

  /** Checks that parquet-mr takes each row group that can be read alone at its midpoint. */
  private def checkRanges(footer: FileFooter, bytes: Array[Byte], hint: String): Unit =
    if (footer.hasMidpoints)
      blocks(bytes, ParquetMetadataConverter.NO_FILTER).foreach { all =>
        for (g <- 0 until footer.numRowGroups) {
          val midpoint = footer.midpoint(g)
          val read = blocks(bytes, ParquetMetadataConverter.range(midpoint, midpoint + 1))
          val same = all.indices.filter(footer.midpoint(_) == midpoint).map(all)
          if (read != Some(same)) throw new AssertionError(s"$hint: row group $g, $read")
        }
      }

  /** Identifies each row group that parquet-mr would read; None if it cannot read the footer. */
  private def blocks(
      bytes: Array[Byte],
      filter: ParquetMetadataConverter.MetadataFilter): Option[Seq[(Long, Long, Long)]] =
    try {
      val start = bytes.length - 8 - ColumnType.int(bytes, bytes.length - 8)
      val footerBytes = new ByteArrayInputStream(bytes, start, bytes.length - 8 - start)
      val found =
        new ParquetMetadataConverter().readParquetMetadata(footerBytes, filter).getBlocks
      Some((0 until found.size).map { i =>
        val block: BlockMetaData = found.get(i)
        (block.getStartingPos, block.getCompressedSize, block.getRowCount)
      })
    } catch { case NonFatal(_) => None }

  private def open(path: JPath): ParquetFileReader = {
    val conf = new Configuration(false)
    conf.setClass(
      "fs.file.impl",
      classOf[org.apache.hadoop.fs.RawLocalFileSystem],
      classOf[org.apache.hadoop.fs.FileSystem])
    ParquetFileReader.open(HadoopInputFile.fromPath(new Path(path.toUri), conf))
  }

  /** Counts the keys that the first row group's filter, as parquet-mr reads it, rules out. */
  private def lostByParquetMr(path: JPath, keys: Seq[Long]): Int = {
    val reader = open(path)
    try {
      val block = reader.getFooter.getBlocks.get(0)
      val filter = reader.getBloomFilterDataReader(block).readBloomFilter(block.getColumns.get(0))
      if (filter == null) 0 else keys.count(key => !filter.findHash(filter.hash(key)))
    } catch { case NonFatal(_) => 0 }
    finally reader.close()
  }

  /** A copy in which every header claims another size, over the bytes that it had before. */
  private def withSizes(sample: SampleFile, size: Int => Int): Array[Byte] =
    Damage.rewrite(sample.bytes)((m, data) =>
      Damage.filtered(m).foreach(Damage.claim(data, _, size)))
}
