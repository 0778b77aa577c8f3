package io.sbbf.parquet.footer

import java.nio.file.{Files, Path => JPath}

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.example.data.Group
import org.apache.parquet.format.{ColumnMetaData, CompressionCodec, Encoding, FileMetaData, Type}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{In, IsNotNull, IsNull, Leaf}
import io.sbbf.core.predicate.Value.IntegerLiteral
import io.sbbf.parquet.chunk.FilterState
import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.model.{LeafResult, UnusableFile}
import io.sbbf.parquet.testing.{SyntheticFooter, TestFile, TestFiles}

/** Footers: what is read, what is refused, and how midpoints separate row groups. */
final class FooterReaderSuite extends AnyFunSuite {
  import TestFiles._

  private lazy val path: JPath = write(
    "message m { optional int64 id; optional group st { optional int64 Id; required int64 b; } }",
    Style(dictionary = true),
    (0 until 4 * RowsPerGroup).iterator.map { row => (g: Group) =>
      g.add("id", row.toLong)
      g.addGroup("st").append("Id", row.toLong / 50).append("b", 1L)
      ()
    }
  )

  private def first(metadata: FileMetaData): ColumnMetaData =
    metadata.getRow_groups.get(0).getColumns.get(0).getMeta_data

  private def reason(path: JPath): String =
    intercept[UnusableFile](new TestFile(path).footer).reason

  private def saved(bytes: Array[Byte]): JPath = Files.write(fresh(), bytes)

  test("one read takes a footer within the tail, one more a longer one") {
    for ((tail, reads) <- Seq(65536 -> 1, 100 -> 2, 0 -> 2)) {
      val file = new TestFile(path, tail)
      assert(file.footer.numRowGroups == 4)
      assert(file.opens == 1 && file.reads == reads)
      assert(file.footer.numRows(3) == RowsPerGroup)
      assert((0 until 3).map(file.footer.columnName) == Seq("id", "st.Id", "st.b"))
    }
  }

  test("what is no Parquet file is refused by its reason") {
    val good = Files.readAllBytes(path)
    val footer = good.drop(good.length - 8).take(4)
    def ending(length: Array[Byte], magic: String) =
      saved(good.dropRight(8) ++ length ++ magic.getBytes)
    assert(reason(saved(Array.empty)) == "not a Parquet file")
    assert(reason(saved("PAR1PAR1".getBytes)) == "not a Parquet file")
    assert(reason(saved(good.dropRight(1))) == "not a Parquet file")
    assert(reason(ending(footer, "PARE")) == "encrypted footer")
    for (length <- Seq(0, -1, Int.MinValue, Int.MaxValue, good.length - 11))
      assert(reason(ending(SyntheticFooter.int(length), "PAR1")) == "invalid footer length")
    assert(reason(ending(SyntheticFooter.int(good.length - 12), "PAR1")) == "damaged metadata")
  }

  test("a footer that lies about sizes or nests without end costs nothing and is refused") {
    def footer(bytes: Int*) = withFooter(Array.fill[Byte](100)(0), bytes.map(_.toByte).toArray)
    // FileMetaData: version 1, then a schema list that claims 2^31 - 1 structs
    assert(
      reason(footer(0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0)) == "damaged metadata")
    // a string longer than all there is
    assert(reason(footer(0x15, 2, 0x58, 0xff, 0xff, 0xff, 0xff, 7, 0)) == "damaged metadata")
    assert(
      reason(withFooter(new Array[Byte](4), Array.fill[Byte](1000000)(0x1c))) ==
        "damaged metadata")
    assert(
      reason(withFooter(new Array[Byte](4), Array.fill[Byte](1000000)(0x19))) ==
        "damaged metadata")
    assert(reason(footer(0)) == "damaged metadata")
  }

  test("footers with any byte changed are read or refused, and nothing else") {
    val random = new Random(seed())
    val good = Files.readAllBytes(path)
    val (_, start) = footerOf(good)
    var refused = 0
    for (_ <- 0 until 3000) {
      val bytes = good.clone()
      for (_ <- 0 to random.nextInt(3))
        bytes(start + random.nextInt(bytes.length - 8 - start)) = random.nextInt(256).toByte
      val file = new TestFile(saved(bytes))
      try {
        file.footer
        file.evaluate("id", IntegerLiteral(5, 64)) ++ file.evaluate(
          "st.Id",
          IntegerLiteral(5, 64))
      } catch { case _: UnusableFile => refused += 1 }
    }
    assert(refused > 100 && refused < 2900)
  }

  test("schemas that are no trees, and row groups that do not fit them, are refused") {
    def changed(change: FileMetaData => Unit) = damaged(path)((metadata, _) => change(metadata))
    val table = Seq[(FileMetaData => Unit, String)](
      (m => m.getSchema.get(0).setNum_children(3), "damaged schema"),
      (m => m.getSchema.get(0).setNum_children(1), "damaged schema"),
      (m => m.getSchema.get(0).setNum_children(-1), "damaged schema"),
      (m => m.getSchema.clear(), "damaged schema"),
      (m => m.getRow_groups.get(2).getColumns.remove(1), "row group without all its columns"),
      (m => m.getRow_groups.get(2).setNum_rows(-1), "row group with a negative row count")
    )
    for ((change, expected) <- table) assert(reason(changed(change)) == expected)
    val deep = changed { m =>
      m.getSchema.get(0).setNum_children(1)
      m.getSchema.subList(1, m.getSchema.size).clear()
      (0 until 100000).foreach { _ =>
        m.getSchema.add(new org.apache.parquet.format.SchemaElement("g").setNum_children(1))
      }
    }
    assert(reason(deep) == "damaged schema")
  }

  test("midpoints choose the row groups that parquet-mr's range filter chooses") {
    def check(file: JPath): Unit = {
      val footer = new TestFile(file).footer
      assert(footer.hasMidpoints)
      for (g <- 0 until footer.numRowGroups) {
        val midpoint = footer.midpoint(g)
        val conf = new Configuration(false)
        val reader = ParquetFileReader.open(
          HadoopInputFile.fromPath(new Path(file.toUri), conf),
          HadoopReadOptions.builder(conf).withRange(midpoint, midpoint + 1).build())
        val blocks =
          try reader.getFooter.getBlocks
          finally reader.close()
        assert(blocks.size == 1)
        assert(blocks.get(0).getOrdinal == g || blocks.get(0).getOrdinal == -1)
        assert(blocks.get(0).getStartingPos == new TestFile(file).footer.start(g))
      }
    }
    implicit class Starts(footer: FileFooter) {
      def start(g: Int): Long = footer.midpoint(g) - footer.compressedBytes(g) / 2
    }
    check(path)
    check(damaged(path)((m, _) => m.getRow_groups.forEach(g => g.unsetTotal_compressed_size())))
    check(damaged(path)((m, _) =>
      m.getRow_groups.forEach { g =>
        g.setTotal_compressed_size(g.getTotal_compressed_size - 1)
        ()
      }))
  }

  test("row groups whose midpoints are unknown are not trimmed") {
    val table = Seq[FileMetaData => Unit](
      m => m.getRow_groups.get(1).getColumns.get(0).unsetMeta_data(),
      { m =>
        m.getRow_groups.get(1).unsetTotal_compressed_size()
        m.getRow_groups.get(1).getColumns.get(2).unsetMeta_data()
      }
    )
    for (change <- table)
      assert(!new TestFile(damaged(path)((m, _) => change(m))).footer.hasMidpoints)
    val sound = damaged(path) { (m, _) =>
      m.getRow_groups.get(1).getColumns.get(2).unsetMeta_data()
    }
    assert(new TestFile(sound).footer.hasMidpoints)
  }

  test("filters of arrow-go are rejected where the chunk has a dictionary") {
    val filtered = write(
      "message m { required int64 id; }",
      Style(filters = Map("id" -> 100)),
      (0 until RowsPerGroup).iterator.map { row => (g: Group) =>
        g.add("id", row.toLong)
      }
    )
    def isRejected(writer: String, hasDictionary: Boolean): Boolean = {
      val file = new TestFile(damaged(filtered) { (m, _) =>
        m.setCreated_by(writer)
        if (hasDictionary) first(m).setDictionary_page_offset(4)
      })
      file.filter(0, "id") == FilterState.Rejected("faulty writer")
    }
    assert(isRejected("parquet-go version 18.8.0", hasDictionary = true))
    assert(!isRejected("parquet-go version 18.8.0", hasDictionary = false))
    assert(!isRejected("parquet-mr version 1.17.0", hasDictionary = true))
    assert(!isRejected("github.com/parquet-go/parquet-go version 0.32.0", hasDictionary = true))
  }

  test("columns are found by path, and not where two would do") {
    val file = new TestFile(damaged(path) { (m, _) =>
      m.getSchema.get(3).setName("ID")
      m.getRow_groups.forEach { g =>
        g.getColumns.get(1).getMeta_data.getPath_in_schema.set(1, "ID")
        ()
      }
      m.getSchema.get(4).setName("id")
      m.getRow_groups.forEach { g =>
        g.getColumns.get(2).getMeta_data.getPath_in_schema.set(1, "id")
        ()
      }
    })
    def answer(path: Seq[String], caseSensitive: Boolean) =
      file.bind(Leaf(path, IsNull), caseSensitive).evalStatistics(0)
    val table = Seq(
      (Seq("id"), true, LeafResult.NoNulls),
      (Seq("ID"), true, LeafResult.EveryRowNull),
      (Seq("ID"), false, LeafResult.NoNulls),
      (Seq("st"), true, LeafResult.SchemaMismatch),
      (Seq("st", "ID"), true, LeafResult.NoNulls),
      (Seq("st", "Id"), false, LeafResult.AmbiguousColumn),
      (Seq("ST", "Id"), true, LeafResult.EveryRowNull),
      (Seq("st.ID"), true, LeafResult.EveryRowNull),
      (Seq("st", "x"), false, LeafResult.EveryRowNull),
      (Seq("id", "x"), true, LeafResult.SchemaMismatch)
    )
    for ((path, caseSensitive, expected) <- table)
      assert(answer(path, caseSensitive) == expected, s"$path $caseSensitive")
    assert(file.evidence.columnIndex(Seq("ST", "id"), false) == -1)
    assert(file.evidence.columnIndex(Seq("st", "id"), true) == 2)
  }

  test("a column that a file lacks is NULL, unless it may be a list in another spelling") {
    val list = new TestFile(
      write(
        """message m { optional group l (LIST) { repeated group bag { optional int64 item; } }
          optional group r { repeated int64 array; } optional group s { optional int64 x; } }""",
        Style(),
        Iterator.fill(3)((_: Group) => ())
      ))
    def answers(path: String) =
      Seq(IsNull, IsNotNull, In(Seq(IntegerLiteral(1, 64)))).map(t => list.evaluate(path, t).head)
    for (path <- Seq("m", "s.y", "m.list.element"))
      assert(
        answers(path) == Seq(LeafResult.EveryRowNull, LeafResult.AllNull, LeafResult.AllNull),
        path)
    for (path <- Seq("l.list.element", "l.x"))
      assert(answers(path) == Seq.fill(3)(LeafResult.RepeatedColumn), path)
    for (path <- Seq("r.list.element", "s"))
      assert(answers(path) == Seq.fill(3)(LeafResult.SchemaMismatch), path)
  }

  test("repeated columns are not evaluated as if each row held one value") {
    val file = new TestFile(
      write(
        """message m { repeated int64 r; optional group l (LIST) {
          repeated group list { required int64 element; } } }""",
        Style(),
        (0 until 10).iterator.map(row =>
          (g: Group) => {
            g.add("r", row.toLong)
            g.addGroup("l").addGroup("list").append("element", 1L)
            ()
          })
      ))
    val absent = In(Seq(IntegerLiteral(99, 64)))
    for (path <- Seq(Seq("r"), Seq("l", "list", "element"), Seq("l", "element")))
      assert(file.bind(Leaf(path, absent)).evalStatistics(0) == LeafResult.RepeatedColumn)
  }

  test("chunks that are encrypted, stored elsewhere or named otherwise decide nothing") {
    def chunk(m: FileMetaData) = m.getRow_groups.get(0).getColumns.get(0)
    val table = Seq[(FileMetaData => Unit, LeafResult)](
      (chunk(_).setFile_path("elsewhere"), LeafResult.DamagedColumn),
      (chunk(_).setEncrypted_column_metadata(Array[Byte](1)), LeafResult.EncryptedColumn),
      (chunk(_).unsetMeta_data(), LeafResult.DamagedColumn),
      (
        first(_).setPath_in_schema(java.util.Collections.singletonList("other")),
        LeafResult.DamagedColumn)
    )
    for ((change, reason) <- table) {
      val file = new TestFile(damaged(path)((m, _) => change(m)))
      assert(file.evidence.isUnreadable(0, 0))
      val answers = file.evaluate("id", IntegerLiteral(-1, 64))
      assert(answers.head == reason && answers.last == LeafResult.OutsideBounds)
      assert(file.filter(0, "id") == FilterState.Rejected(reason.reason))
    }
  }

  test("files of one table share their schema, and 300 columns fit the cache") {
    val columns = (0 until 300).map(i => s"column_$i" -> SyntheticFooter.Column(Type.INT64))
    val groups = 4
    def footer() = SyntheticFooter.build {
      val thrift = SyntheticFooter.metadata(columns, groups) { (_, c) =>
        SyntheticFooter.bounds(SyntheticFooter.long(c.toLong), SyntheticFooter.long(c + 5L), 3)
      }
      thrift.getRow_groups.forEach(_.getColumns.forEach { chunk =>
        val data = chunk.getMeta_data
        data.setBloom_filter_offset(5000).setBloom_filter_length(80)
        data.setDictionary_page_offset(4).setData_page_offset(50).setCodec(CompressionCodec.ZSTD)
        data.setEncodings(java.util.Arrays.asList(Encoding.PLAIN_DICTIONARY, Encoding.RLE))
        ()
      })
      thrift
    }
    val (one, other) = (footer(), footer())
    assert(one.schema eq other.schema)
    val perChunk = other.retainedBytes.toDouble / (300 * groups)
    println(f"footer: $perChunk%.1f bytes for each row group and column with every evidence")
    assert(perChunk < 80)
    val bare = SyntheticFooter.build(SyntheticFooter.metadata(columns, groups)((_, _) => null))
    println(f"footer: ${bare.retainedBytes / 1200.0}%.1f bytes without any")
    assert(bare.retainedBytes < 8 * 1200)
  }

  test("what a footer says it retains is what the heap holds") {
    def used() = {
      (0 until 3).foreach(_ => System.gc())
      Runtime.getRuntime.totalMemory - Runtime.getRuntime.freeMemory
    }
    val columns = (0 until 50).map(i => s"column_$i" -> SyntheticFooter.Column(Type.INT64))
    val thrift = SyntheticFooter.metadata(columns, 20) { (_, c) =>
      SyntheticFooter.bounds(SyntheticFooter.long(c.toLong), SyntheticFooter.long(c + 5L), 3)
    }
    val footers = new Array[FileEvidence](1000)
    val before = used()
    footers.indices.foreach(i => footers(i) = new FileEvidence(SyntheticFooter.build(thrift)))
    val held = used() - before
    val said = footers.map(_.retainedBytes).sum
    println(s"1000 footers: $held bytes held, $said said")
    assert(math.abs(held - said) < said / 5)
  }
}
