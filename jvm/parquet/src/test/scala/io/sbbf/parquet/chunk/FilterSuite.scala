package io.sbbf.parquet.chunk

import java.nio.file.{Path => JPath}
import java.util.Arrays
import java.util.concurrent.{Callable, Executors}

import org.apache.parquet.example.data.Group
import org.apache.parquet.format.{ColumnMetaData, FileMetaData}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.bloom.XxHash64
import io.sbbf.core.kernel.ScalarKernel
import io.sbbf.core.predicate.ColumnPath
import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf, NotIn}
import io.sbbf.core.predicate.Value._
import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, LeafResult}
import io.sbbf.parquet.testing.{TestFile, TestFiles}

/** Bloom filters in files: which are valid, and how they are read. */
final class FilterSuite extends AnyFunSuite {
  import FilterState._
  import TestFiles._

  /**
   * Ids 0, 2, 4 .. shuffled over three row groups, so that bounds refute none of the odd ones.
   */
  private val rows = 3 * RowsPerGroup
  private def id(row: Int): Long = 2L * (row * 7 % rows)
  private def rowGroupOf(value: Long): Int =
    (0 until rows).find(id(_) == value).get / RowsPerGroup

  /** Within the bounds of each row group. */
  private val absent = IntegerLiteral(301, 64)

  private val style = Style(filters = Map("id" -> 100, "b" -> 100))
  private lazy val path: JPath = write(
    "message m { required int64 id; required boolean b; }",
    style,
    (0 until rows).iterator.map(row => (g: Group) => { g.add("id", id(row)); g.add("b", true) }))

  private def data(metadata: FileMetaData, g: Int = 0): ColumnMetaData =
    metadata.getRow_groups.get(g).getColumns.get(0).getMeta_data

  /** Without its length, as parquet-mr 1.13 writes it. */
  private def unmeasured(path: JPath): JPath = damaged(path) { (metadata, _) =>
    (0 until 3).foreach(data(metadata, _).unsetBloom_filter_length())
  }

  private def measured(path: JPath): JPath = damaged(path) { (metadata, _) =>
    val file = new TestFile(path)
    (0 until 3).foreach { g =>
      file.filter(g, "id") match {
        case Present(_, header, bitset) =>
          data(metadata, g).setBloom_filter_length(header + bitset.length)
        case other => fail(other.toString)
      }
    }
  }

  test("no more filters are kept than there is room for, and they answer the same") {
    val file = new TestFile(measured(path))
    val all = file.evaluate("id", absent)
    val none = new FileEvidence(file.footer, mostRetained = 0)
    val held = none.retainedBytes
    val one = new FileEvidence(file.footer, (held + file.evidence.retainedBytes) / 2)
    for (evidence <- Seq(none, one)) {
      val leaf =
        evidence.bind(
          Leaf(ColumnPath.named(Seq("id")), In(Seq(absent))),
          ColumnLookup(caseSensitive = true),
          new LiteralEncodings)
      assert((0 until 3).map(leaf.evalContents(_, () => file.bytes)) == all)
    }
    assert(none.retainedBytes == held)
    assert(held < one.retainedBytes && one.retainedBytes < file.evidence.retainedBytes)
  }

  test("every value is found in its row group and nearly every other row group is refuted") {
    for (file <- Seq(unmeasured(path), measured(path)); tail <- Seq(8, 300, 65536)) {
      val opened = new TestFile(file, tail)
      var kept = 0
      for (value <- 0L until 2L * rows by 2) {
        val answers = opened.evaluate("id", IntegerLiteral(value, 64))
        assert(answers(rowGroupOf(value)) == LeafResult.InFilter)
        kept += answers.count(_ == LeafResult.InFilter)
      }
      for (value <- 1L until 2L * rows by 2)
        kept += opened.evaluate("id", IntegerLiteral(value, 64)).count(_ == LeafResult.InFilter)
      assert(kept < rows * 1.2)
    }
  }

  test("one open and one tail read are enough for a file whose filters lie in its tail") {
    val file = new TestFile(path)
    file.evaluate("id", absent)
    assert(file.opens == 1 && file.reads == 1)
    assert(file.bytes.opens == 1)
    assert(file.bytes.bytesRead == java.nio.file.Files.size(path))
  }

  test("filters that lie close together are read at once, and each is read once") {
    val file = new TestFile(measured(path), tailBytes = 8)
    file.footer
    val before = file.reads
    file.evaluate("id", absent)
    assert(file.reads == before + 1)
    file.evaluate("id", IntegerLiteral(303, 64))
    assert(file.reads == before + 1)
  }

  test("a filter is read only where the footer does not decide") {
    val file = new TestFile(measured(path), tailBytes = 8)
    file.footer
    val before = file.reads
    file.evaluate("id", IntegerLiteral(-1, 64))
    file.evaluate("id", NotIn(Seq(IntegerLiteral(2, 64))))
    assert(file.evaluate("b", Bool(true)).forall(_ == LeafResult.NoEvidence))
    assert(file.reads == before)
  }

  test("what a filter and its header may not claim") {
    def at(m: FileMetaData): Int = data(m).getBloom_filter_offset.toInt
    val table = Seq[(String, (FileMetaData, Array[Byte]) => Unit)](
      "offset outside of the file" -> ((m, d) => data(m).setBloom_filter_offset(d.length + 5L)),
      "offset outside of the file" -> ((m, _) => data(m).setBloom_filter_offset(1L)),
      "offset outside of the file" -> ((m, _) => data(m).setBloom_filter_offset(Long.MaxValue)),
      "sizes disagree" -> { (m, _) =>
        data(m).setBloom_filter_length(data(m).getBloom_filter_length - 32)
      },
      "damaged header" -> ((m, d) => d(at(m)) = 0),
      "damaged header" -> ((m, d) => Arrays.fill(d, at(m), at(m) + 64, 0x1c.toByte)),
      "damaged header" -> ((m, d) => Arrays.fill(d, at(m) + 1, at(m) + 64, -1.toByte)),
      "unknown algorithm" -> ((m, d) => d(at(m) + 4) = 0x2c),
      "unknown hash" -> ((m, d) => d(at(m) + 8) = 0x2c),
      "unknown compression" -> ((m, d) => d(at(m) + 12) = 0x2c),
      "no bit is set" -> ((m, d) => Arrays.fill(d, at(m) + 16, at(m) + 16 + 256, 0.toByte))
    )
    val good = measured(path)
    assert(new TestFile(good).filter(0, "id").isInstanceOf[Present])
    for ((reason, change) <- table) {
      val file = new TestFile(damaged(good) { (metadata, bytes) => change(metadata, bytes) })
      assert(file.filter(0, "id") == Rejected(reason))
      assert(file.evaluate("id", absent).head == LeafResult.filterRejected(reason))
      assert(file.evaluate("id", absent).last == LeafResult.NotInFilter)
    }
  }

  test("a filter without a valid length ends where the next structure begins, or before") {
    val lengths = Seq[ColumnMetaData => Unit](
      _.setBloom_filter_length(-7): Unit,
      _.setBloom_filter_length(0): Unit,
      _.setBloom_filter_length(Int.MaxValue): Unit,
      c => c.setBloom_filter_length(c.getBloom_filter_length + 5000): Unit,
      c => c.setBloom_filter_length(c.getBloom_filter_length - 1): Unit,
      _.setBloom_filter_length(16): Unit, // of a header alone
      _.unsetBloom_filter_length()
    )
    for {
      gap <- Seq(0, 1, 32, 55, 100, 4096)
      change <- lengths
      writer <- Seq(Some("QuestDB version 9.3.4"), None, Some("parquet-mr version 1.13.1"))
    } {
      // the only filter, the last structure before the footer
      val (metadata, start) = footerOf(java.nio.file.Files.readAllBytes(measured(path)))
      val old = new TestFile(measured(path)).filter(0, "id").asInstanceOf[Present]
      val header = header64(old.bitset.length)
      data(metadata).setBloom_filter_offset(start.toLong)
      data(metadata).setBloom_filter_length(header.length + old.bitset.length)
      change(data(metadata))
      val before = java.nio.file.Files.readAllBytes(measured(path)).take(start)
      val behind = Array.fill[Byte](gap)(7)
      writer.fold(metadata.unsetCreated_by())(name => metadata.setCreated_by(name): Unit)
      val file = new TestFile(withFooter(before ++ header ++ old.bitset ++ behind, metadata))
      // no other writer leaves a gap, so another filter is there whose offset is damaged
      if (gap > 0 && !writer.exists(_.startsWith("QuestDB")))
        assert(file.filter(0, "id") == Rejected("sizes disagree"))
      else {
        assert(file.evaluate("id", absent).head == LeafResult.NotInFilter, s"a gap of $gap bytes")
        assert(file.filter(0, "id").asInstanceOf[Present].bitset.sameElements(old.bitset))
      }
    }
  }

  test("a number of bytes that is no filter's is refused, with or without a length") {
    def claimed(file: JPath, numBytes: Int) = damaged(file) { (metadata, bytes) =>
      // the header with the number patched in, and the bitset behind it
      val old = new TestFile(file).filter(0, "id").asInstanceOf[Present]
      val header = header64(numBytes)
      System.arraycopy(header, 0, bytes, old.offset.toInt, header.length)
      if (data(metadata).isSetBloom_filter_length)
        data(metadata).setBloom_filter_length(header.length + math.max(numBytes, 0))
    }
    val table = Seq(
      0 -> "not a whole number of blocks",
      -32 -> "not a whole number of blocks",
      47 -> "not a whole number of blocks",
      1000 -> "not a whole number of blocks",
      256 * 1024 * 1024 -> "too large",
      64 * 1024 * 1024 -> "sizes disagree"
    )
    for ((numBytes, reason) <- table) {
      val file = new TestFile(claimed(unmeasured(path), numBytes))
      assert(file.filter(0, "id") == Rejected(reason))
    }
    val inside = new TestFile(claimed(measured(path), 64))
    assert(inside.filter(0, "id").asInstanceOf[Present].bitset.length == 64)
    // another bitset size under a length that agrees: any whole number of blocks is read
    val three = new TestFile(claimed(measured(path), 96))
    assert(three.filter(0, "id").asInstanceOf[Present].bitset.length == 96)
  }

  test("filters of any whole number of blocks are used") {
    val ids = (0 until RowsPerGroup).map(id)
    val hashes = ids.map(XxHash64.hashLong).toArray
    for (blocks <- Seq(1, 2, 3, 5, 7, 33, 100)) {
      val bitset = new Array[Byte](32 * blocks)
      ScalarKernel.insert(bitset, hashes, 0, hashes.length)
      val (metadata, start) = footerOf(java.nio.file.Files.readAllBytes(unmeasured(path)))
      data(metadata).setBloom_filter_offset(start.toLong)
      val before = java.nio.file.Files.readAllBytes(path).take(start)
      val file =
        new TestFile(withFooter(before ++ header64(bitset.length) ++ bitset, metadata))
      assert(
        ids.forall(v => file.evaluate("id", IntegerLiteral(v, 64)).head == LeafResult.InFilter))
      val kept =
        ids.count(v => file.evaluate("id", IntegerLiteral(v + 1, 64)).head == LeafResult.InFilter)
      if (blocks >= 33) assert(kept < 5, s"$blocks blocks")
    }
  }

  /** numBytes in a varint, the three unions, stop. */
  private def header64(numBytes: Int): Array[Byte] = {
    val zigzag = (numBytes << 1) ^ (numBytes >> 31)
    val varint = Iterator.iterate(zigzag)(_ >>> 7).takeWhile(_ != 0).toSeq match {
      case Seq() => Seq(0.toByte)
      case groups =>
        groups.zipWithIndex.map { case (g, i) =>
          ((g & 0x7f) | (if (i < groups.length - 1) 0x80 else 0)).toByte
        }
    }
    (0x15.toByte +: varint).toArray ++ Array[Byte](0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c,
      0, 0, 0)
  }

  test("a filter that ends inside the footer is refused") {
    val file = new TestFile(damaged(measured(path)) { (metadata, bytes) =>
      data(metadata).setBloom_filter_offset(bytes.length - 20L): Unit
    })
    assert(file.filter(0, "id") == Rejected("damaged header"))
  }

  test(
    "filters of columns that share their dotted path are rejected, and those of others are not") {
    val schema =
      "message m { required group a { required int64 b; } required int64 a.b; required int64 id; }"
    val file = new TestFile(
      write(
        schema,
        Style(filters = Map("a.b" -> 100, "id" -> 100)),
        Iterator.tabulate(RowsPerGroup) { row => (g: Group) =>
          g.addGroup("a").add("b", row.toLong)
          g.add("a.b", -row.toLong)
          g.add("id", row.toLong)
        }
      ))
    val evidence = new FileEvidence(file.footer)
    val states = (0 until 3).map(evidence.filter(0, _, file.bytes))
    val rejected = Rejected("another column has the same dotted path")
    assert(states.take(2) == Seq(rejected, rejected) && states(2).isInstanceOf[Present])
  }

  test("filters of BOOLEAN columns are ignored") {
    val file = new TestFile(path)
    assert(file.filter(0, "b") == Rejected("BOOLEAN column") || file.filter(0, "b") == Absent)
    val forged = new TestFile(damaged(measured(path)) { (metadata, _) =>
      val flag = metadata.getRow_groups.get(0).getColumns.get(1).getMeta_data
      flag.setBloom_filter_offset(data(metadata).getBloom_filter_offset)
      flag.unsetStatistics()
    })
    assert(forged.filter(0, "b") == Rejected("BOOLEAN column"))
    assert(
      forged.evaluate("b", Bool(false)).head.verdict == io.sbbf.core.predicate.Verdict.MightMatch)
  }

  test("chunks without a filter have none, and no other chunk's") {
    val file = new TestFile(damaged(measured(path)) { (metadata, _) =>
      data(metadata, 1).unsetBloom_filter_offset()
    })
    assert(file.filter(1, "id") == Absent)
    val answers = file.evaluate("id", absent)
    assert(answers == Seq(LeafResult.NotInFilter, LeafResult.NoEvidence, LeafResult.NotInFilter))
  }

  test("a store that fails now leaves the row group undecided and is read again later") {
    val file = new TestFile(measured(path), tailBytes = 8)
    file.footer
    file.faults.isDown = true
    assert(file.evaluate("id", absent).forall(_ == LeafResult.unknown("cannot be read")))
    assert(file.filter(0, "id") == Rejected("cannot be read"))
    file.faults.isDown = false
    assert(file.evaluate("id", absent).forall(_ == LeafResult.NotInFilter))
  }

  test("an interrupted read is an interruption, a timeout of the store is not") {
    val file = new TestFile(measured(path), tailBytes = 8)
    val leaf = file.bind(Leaf(Seq("id"), In(Seq(absent))))
    def failingWith(e: Throwable) = leaf.evalContents(0, () => throw e)
    for (e <- Seq(
        new java.io.InterruptedIOException,
        new java.nio.channels.ClosedByInterruptException,
        new InterruptedException))
      assert(intercept[Throwable](failingWith(e)) eq e)
    for (timeout <- Seq(
        new java.net.SocketTimeoutException,
        new FilterSuite.PoolTimeoutException))
      assert(failingWith(timeout) == LeafResult.unknown("cannot be read"))
  }

  test("literals outside of a chunk's bounds are not probed in its filter") {
    val answers =
      new TestFile(path)
        .evaluate("id", In(Seq(IntegerLiteral(-2, 64), absent, IntegerLiteral(2L * rows, 64))))
    assert(answers.forall(_ == LeafResult.NotInFilter))
  }

  test("a zero of either sign is found by a zero of either sign") {
    for ((stored, dictionary) <- Seq((0.0, false), (-0.0, false), (0.0, true), (-0.0, true))) {
      val numbers = (1 to RowsPerGroup).map(i => if (i == 50) stored else i - 50.0)
      val file = new TestFile(
        write(
          "message m { required double z; required float f; }",
          Style(filters = Map("z" -> 100, "f" -> 100), dictionary = dictionary),
          numbers.iterator.map(v => (g: Group) => { g.add("z", v); g.add("f", v.toFloat) })
        ))
      for (probed <- Seq(0.0, -0.0)) {
        val answers =
          file.evaluate("z", DoubleLiteral(probed)) ++ file.evaluate(
            "f",
            FloatLiteral(probed.toFloat))
        assert(
          answers.forall(a => a == LeafResult.InFilter || a == LeafResult.InDictionary),
          s"$stored")
      }
      assert(
        file
          .evaluate("z", DoubleLiteral(0.5))
          .head
          .verdict == io.sbbf.core.predicate.Verdict.CannotMatch)
    }
  }

  test("literals are encoded once for each query and way of storing them") {
    val leaf = Leaf(Seq("id"), In((0L until 100000L).map(IntegerLiteral(_, 64))))
    val encodings = new LiteralEncodings
    val kind = new TestFile(path).footer.schema.column(0).columnType
    assert(encodings.of(leaf, kind) eq encodings.of(leaf, kind))
    assert(encodings.of(leaf, kind) ne encodings.of(leaf.copy(), kind))
  }

  test("threads that share what is known of a file agree with one that is alone") {
    val file = new TestFile(measured(path), tailBytes = 8)
    val expected =
      (0L until 2L * rows).map(v => new TestFile(path).evaluate("id", IntegerLiteral(v, 64)))
    val shared = file.evidence
    val answers = inFourThreads {
      val own = new TestFile(file.path, tailBytes = 8)
      (0L until 2L * rows).map { v =>
        val leaf =
          shared.bind(
            Leaf(Seq("id"), In(Seq(IntegerLiteral(v, 64)))),
            ColumnLookup(true),
            new LiteralEncodings)
        (0 until 3).map(leaf.evalContents(_, () => own.bytes))
      }
    }
    answers.foreach(each => assert(each == expected))
    val retained = shared.retainedBytes
    assert(retained - file.footer.retainedBytes < 3 * 256 + 1000, "each filter is kept once")
  }

  private def inFourThreads[T](work: => T): Seq[T] = {
    val pool = Executors.newFixedThreadPool(4)
    val task = new Callable[T] { override def call(): T = work }
    try Seq.fill(4)(pool.submit(task)).map(_.get)
    finally pool.shutdown()
  }
}

private object FilterSuite {

  /** Named as those of HTTP clients. */
  private final class PoolTimeoutException extends java.io.InterruptedIOException
}
