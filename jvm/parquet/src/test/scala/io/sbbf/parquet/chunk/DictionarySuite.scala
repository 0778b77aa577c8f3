package io.sbbf.parquet.chunk

import java.nio.file.{Path => JPath}
import java.util.{Arrays, Collections}

import org.apache.parquet.example.data.Group
import org.apache.parquet.format._
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.api.Binary
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{AllOf, Greater, In, Less, NotIn}
import io.sbbf.core.predicate.Value._
import io.sbbf.core.predicate.Verdict.MightMatch
import io.sbbf.parquet.input.CompactStruct
import io.sbbf.parquet.model.LeafResult
import io.sbbf.parquet.testing.{TestFile, TestFiles}

/** Dictionary pages: when they hold all values of a chunk, and which of them are valid. */
final class DictionarySuite extends AnyFunSuite {
  import TestFiles._

  private def text(v: String) = Bytes(v.getBytes, true)

  private def file(
      codec: CompressionCodecName,
      change: ColumnMetaData => Unit = _ => ()): JPath = {
    val plain = write(
      "message m { optional binary s (STRING); optional double z; }",
      Style(dictionary = true, codec = codec),
      (0 until 2 * RowsPerGroup).iterator.map(row =>
        (g: Group) => {
          if (row % 5 > 0) g.add("s", Seq("ash", "elm", "oak")(row % 3))
          g.add("z", if (row < RowsPerGroup) -0.0 else 1.0)
        })
    )
    damaged(plain) { (metadata, _) =>
      metadata.getRow_groups.forEach(g => change(g.getColumns.get(0).getMeta_data))
    }
  }

  test("a value that the dictionary lacks is refuted, whatever the codec") {
    import CompressionCodecName._
    for (codec <- Seq(UNCOMPRESSED, SNAPPY, GZIP, ZSTD)) {
      val opened = new TestFile(file(codec))
      for (present <- Seq("ash", "elm", "oak"))
        assert(opened.evaluate("s", text(present)) == Seq.fill(2)(LeafResult.InDictionary))
      assert(opened.evaluate("s", text("fir")) == Seq.fill(2)(LeafResult.NotInDictionary))
      assert(
        opened.evaluate("s", In(Seq(text("fir"), text("oak")))) == Seq.fill(2)(
          LeafResult.InDictionary))
    }
  }

  test("NOT IN is refuted where every entry is excluded, nulls or not") {
    val opened = new TestFile(file(CompressionCodecName.SNAPPY))
    def all(values: String*) = opened.evaluate("s", NotIn(values.map(text)))
    assert(all("ash", "elm", "oak", "fir") == Seq.fill(2)(LeafResult.NotInDictionary))
    assert(all("ash", "oak", "fir") == Seq.fill(2)(LeafResult.InDictionary))
    assert(all("ash", "elm", "oak2") == Seq.fill(2)(LeafResult.HoldsBound))
    val zero = opened.evaluate("z", NotIn(Seq(DoubleLiteral(0.0))))
    assert(zero == Seq(LeafResult.NotInDictionary, LeafResult.HoldsBound))
    assert(
      opened
        .evaluate("z", DoubleLiteral(0.0)) == Seq(
        LeafResult.InDictionary,
        LeafResult.OutsideBounds))
  }

  test("a dictionary is read once, and not where the footer decides") {
    val opened = new TestFile(file(CompressionCodecName.ZSTD), tailBytes = 8)
    opened.footer
    val before = opened.reads
    opened.evaluate("s", text("zebra"))
    assert(opened.reads == before)
    opened.evaluate("s", text("fir"))
    assert(opened.reads == before + 2)
    opened.evaluate("s", text("elder"))
    assert(opened.reads == before + 2)
    assert(opened.evidence.retainedBytes > opened.footer.retainedBytes)
  }

  test("only a chunk whose data pages all use the dictionary is decided by it") {
    def stats(entries: (PageType, Encoding, Int)*)(data: ColumnMetaData): Unit = {
      val list = new java.util.ArrayList[PageEncodingStats]
      entries.foreach { case (p, e, n) => list.add(new PageEncodingStats(p, e, n)) }
      data.setEncoding_stats(list)
      ()
    }
    def encodings(list: Encoding*)(data: ColumnMetaData): Unit = {
      data.unsetEncoding_stats()
      data.setEncodings(Arrays.asList(list: _*))
      ()
    }
    import Encoding._
    import PageType._
    val table = Seq[(ColumnMetaData => Unit, Boolean)](
      (stats((DICTIONARY_PAGE, PLAIN, 1), (DATA_PAGE, RLE_DICTIONARY, 3)), true),
      (stats((DICTIONARY_PAGE, PLAIN, 1), (DATA_PAGE_V2, PLAIN_DICTIONARY, 3)), true),
      (stats((DATA_PAGE, PLAIN_DICTIONARY, 3), (DATA_PAGE, PLAIN, 1)), false),
      (stats((DATA_PAGE_V2, RLE_DICTIONARY, 3), (DATA_PAGE, DELTA_BYTE_ARRAY, 1)), false),
      (stats((DICTIONARY_PAGE, PLAIN, 1)), false),
      (stats((DATA_PAGE, RLE_DICTIONARY, 0)), false),
      (stats(), false),
      (encodings(PLAIN_DICTIONARY, RLE, BIT_PACKED), true),
      (encodings(PLAIN_DICTIONARY, RLE, PLAIN), false),
      (encodings(RLE_DICTIONARY, RLE), false)
    )
    for ((change, decides) <- table) {
      val answers =
        new TestFile(file(CompressionCodecName.SNAPPY, change)).evaluate("s", text("fir"))
      val expected = if (decides) LeafResult.NotInDictionary else LeafResult.NoEvidence
      assert(answers == Seq.fill(2)(expected))
    }
  }

  test("a dictionary that the footer does not place begins its chunk") {
    val opened = new TestFile(
      file(
        CompressionCodecName.GZIP,
        { data =>
          data.setData_page_offset(data.getDictionary_page_offset)
          data.unsetDictionary_page_offset()
          ()
        }))
    assert(opened.evaluate("s", text("fir")) == Seq.fill(2)(LeafResult.NotInDictionary))
    val data = new TestFile(
      file(
        CompressionCodecName.GZIP,
        { data =>
          data.unsetDictionary_page_offset()
          ()
        }))
    assert(
      data.evaluate("s", text("fir")).map(_.reason).distinct ==
        Seq("dictionary unusable: no dictionary page"))
  }

  test("a page that is not what it says decides nothing") {
    val good = file(CompressionCodecName.SNAPPY)
    def answer(path: JPath) = new TestFile(path).evaluate("s", text("fir")).head
    def forged(change: PageHeader => Unit)(page: Array[Byte] => Unit) =
      damaged(good) { (metadata, bytes) =>
        val data = metadata.getRow_groups.get(0).getColumns.get(0).getMeta_data
        val start = data.getDictionary_page_offset.toInt
        val until = data.getData_page_offset.toInt
        val old = Arrays.copyOfRange(bytes, start, until)
        val end = CompactStruct.end(old, 0, old.length)
        val header = Util.readPageHeader(new java.io.ByteArrayInputStream(old))
        val body = Arrays.copyOfRange(old, end, old.length)
        header.unsetCrc()
        change(header)
        page(body)
        val out = new java.io.ByteArrayOutputStream
        Util.writePageHeader(header, out)
        // over the bytes that follow, so that there is room for any header
        val forged = out.toByteArray ++ body
        System.arraycopy(forged, 0, bytes, start, forged.length)
        data.setData_page_offset(start.toLong + forged.length)
        ()
      }
    def nothing(page: Array[Byte]): Unit = ()
    assert(answer(forged(_ => ())(nothing)) == LeafResult.NotInDictionary)
    val table = Seq[(PageHeader => Unit, Array[Byte] => Unit, String)](
      (_.setCrc(1), nothing, "checksum mismatch"),
      (_.setType(PageType.DATA_PAGE), nothing, "no dictionary page"),
      (
        _.getDictionary_page_header.setEncoding(Encoding.DELTA_BYTE_ARRAY),
        nothing,
        "unsupported encoding"),
      (_.setCompressed_page_size(1000), nothing, "sizes disagree"),
      (_.setCompressed_page_size(-1), nothing, "damaged header"),
      (_.setUncompressed_page_size(9000000), nothing, "too large"),
      (_.setUncompressed_page_size(20), nothing, "sizes disagree"),
      (_.getDictionary_page_header.setNum_values(4), nothing, "damaged page"),
      (_.getDictionary_page_header.setNum_values(2), nothing, "damaged page"),
      (_.getDictionary_page_header.setNum_values(Int.MaxValue), nothing, "damaged page"),
      (_ => (), page => Arrays.fill(page, 0, 5, -1.toByte), "sizes disagree"),
      (_ => (), page => Arrays.fill(page, 1, page.length, -1.toByte), "damaged page")
    )
    for ((change, page, reason) <- table)
      assert(answer(forged(change)(page)) == LeafResult.unknown(s"dictionary unusable: $reason"))
  }

  test("codecs that allocate by sizes of their own are not used") {
    val lz4 = damaged(file(CompressionCodecName.SNAPPY)) { (metadata, _) =>
      metadata.getRow_groups.forEach { g =>
        g.getColumns.get(0).getMeta_data.setCodec(CompressionCodec.LZ4)
        ()
      }
    }
    val answers = new TestFile(lz4).evaluate("s", text("fir"))
    assert(answers == Seq.fill(2)(LeafResult.unknown("dictionary unusable: unsupported codec")))
  }

  test("a filter decides where the dictionary cannot") {
    val path = write(
      "message m { required binary s (STRING); }",
      Style(filters = Map("s" -> 100), dictionary = false),
      (0 until RowsPerGroup).iterator.map(row => (g: Group) => g.add("s", s"key $row"))
    )
    val opened = new TestFile(damaged(path) { (metadata, _) =>
      val data = metadata.getRow_groups.get(0).getColumns.get(0).getMeta_data
      data.unsetEncoding_stats()
      data.setEncodings(Collections.singletonList(Encoding.PLAIN_DICTIONARY))
      ()
    })
    assert(opened.evaluate("s", text("key 12345")).head == LeafResult.NotInFilter)
    assert(opened.evaluate("s", text("key 12")).head == LeafResult.InFilter)
    assert(opened.evaluate("s", NotIn(Seq(text("key 12")))).head.verdict == MightMatch)
  }

  test("large dictionaries take a second read, and are exact all the same") {
    val values = (0 until RowsPerGroup / 2).map(i => f"$i%08d" * 200)
    val path = write(
      "message m { required binary s (STRING); }",
      Style(dictionary = true),
      (values ++ values).iterator.map(v => (g: Group) => g.add("s", Binary.fromString(v))))
    val opened = new TestFile(path, tailBytes = 8)
    opened.footer
    val before = opened.reads
    assert(opened.evaluate("s", text(values(5))).head == LeafResult.InDictionary)
    assert(opened.reads == before + 2)
    assert(opened.evaluate("s", text(values(5) + "x")).head == LeafResult.NotInDictionary)
    val gap = AllOf(Seq(Greater(text("00000010"), true), Less(text("000000100"), true)))
    val remembered = opened.evidence.retainedBytes
    assert(opened.reads == before + 2)
    assert(opened.evaluate("s", gap).head == LeafResult.NotInDictionary)
    assert(opened.reads == before + 4, "its values are too many to be remembered")
    assert(opened.evidence.retainedBytes == remembered)
  }
}
