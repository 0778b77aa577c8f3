package io.sbbf.parquet.values

import java.io.IOException
import java.nio.file.{Path => JPath}
import java.nio.{ByteBuffer, ByteOrder}

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.bytes.{BytesInput, HeapByteBufferAllocator}
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.column.page.{
  DataPage,
  DataPageV1,
  DataPageV2,
  DictionaryPage,
  PageReader
}
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.footer.StoredFile
import io.sbbf.parquet.testing.TestFiles
import io.sbbf.parquet.testing.TestFiles.Style

/** Compares the values that are read page by page with those of parquet-mr's ColumnReader. */
class ChunkValuesSuite extends AnyFunSuite {
  import ChunkValuesSuite._

  for {
    version <- WriterVersion.values
    dictionary <- Seq(false, true)
    codec <- Seq(CompressionCodecName.UNCOMPRESSED, CompressionCodecName.GZIP)
  } test(s"all values of a file are read: $version, $codec, dictionaries: $dictionary") {
    val random = new Random(TestFiles.seed())
    val path = written(random, Style(dictionary = dictionary, codec = codec, version = version))
    for (column <- Columns.indices) {
      val expected = read(path)(values => values.addOneByOne(0, column, _))
      val found = read(path)(values => values.addTo(_, 0, column, isAllDictionary = false))
      if (dictionary) assert(found.toSet == expected.toSet, Columns(column))
      else assert(found == expected, Columns(column))
    }
  }

  test("the test files have chunks in PLAIN, dictionary, both and other encodings") {
    val random = new Random(1)
    val mixed = encodings(written(random, Style(dictionary = true)))
    val plain = encodings(written(random, Style()))
    val delta = encodings(written(random, Style(version = WriterVersion.PARQUET_2_0)))
    assert(plain.forall(_ == Set(Encoding.PLAIN)))
    assert(mixed.contains(Set(Encoding.PLAIN, OfDictionary)))
    assert(mixed.contains(Set(OfDictionary)))
    assert(delta.contains(Set(Encoding.DELTA_BINARY_PACKED)))
  }

  test("a dictionary passes each value once, and other pages pass it as often as they hold it") {
    val path = TestFiles.write(
      "message m { required int64 a; }",
      Style(dictionary = true, dictionaryBytes = 80, rowsPerPage = Some(10)),
      Iterator.tabulate(Rows)(n => (row: Group) => row.add("a", if (n < 50) 7L else n.toLong / 2))
    )
    val found = read(path)(values => values.addTo(_, 0, 0, isAllDictionary = false))
    assert(found.count(_ == 7L) == 1)
    assert(found.toSet == (7L +: (25L to 99L)).toSet)
    assert(found.count(_ == 99L) == 2)
  }

  test("a page that contradicts its header raises an error") {
    val table = Seq(
      (Encoding.PLAIN, "required int64 a;", new Array[Byte](79)),
      (Encoding.PLAIN, "required fixed_len_byte_array(3) a;", new Array[Byte](29)),
      (Encoding.PLAIN, "required binary a;", new Array[Byte](39)),
      (Encoding.PLAIN, "required binary a;", Array.fill[Byte](40)(-1)),
      (Encoding.PLAIN, "required binary a;", 1.toByte +: new Array[Byte](39)),
      (Encoding.RLE_DICTIONARY, "required int64 a;", new Array[Byte](80))
    )
    for ((encoding, column, bytes) <- table) {
      val page = ofTen(encoding, bytes)
      val error =
        intercept[IOException](pageValues(column, new CollectedValues).addAll(new OnePage(page)))
      assert(error.getMessage.matches("(the dictionary of )?a page .*"), s"$encoding $column")
    }
  }

  for {
    (kind, levels) <- Seq(
      "no null" -> Seq.fill(20)(2),
      "one value" -> Seq(2),
      "nulls alone" -> Seq.fill(20)(0),
      "groups without a value alone" -> Seq.fill(20)(1),
      "a long run of values, then a null" -> (Seq.fill(20)(2) :+ 1),
      "a long run of nulls, then a value" -> (Seq.fill(20)(0) :+ 2),
      "values and nulls in turn" -> Seq(0, 1, 2, 1, 2, 2, 0, 2)
    )
    (version, page) <- Seq[(Int, (Seq[Int], Int, Seq[Long]) => DataPage)](
      1 -> ((levels, _, values) => page1(levels, values)),
      2 -> page2)
  } test(s"the levels of a page of version $version give its number of values: $kind") {
    val present = levels.filter(_ == 2).indices.map(_.toLong)
    for (nulls <- Seq(levels.size - present.size, -1, 0, 3, levels.size)) {
      val sink = new CollectedValues
      val one = new OnePage(page(levels, nulls, present))
      assert(pageValues("optional group g { optional int64 a; }", sink).addAll(one), nulls)
      assert(sink.values == present, nulls)
    }
  }

  test("levels that end before the page's values raise an error") {
    val page = page2(Seq.fill(7)(2), 0, (0L until 7L))
    val longer = DataPageV2.uncompressed(
      page.getRowCount + 9,
      0,
      page.getValueCount + 9,
      page.getRepetitionLevels,
      page.getDefinitionLevels,
      Encoding.PLAIN,
      page.getData,
      null)
    val values = pageValues("optional group g { optional int64 a; }", new CollectedValues)
    assertThrows[Exception](values.addAll(new OnePage(longer)))
  }

  test("a page of an encoding that the footer does not list leaves the chunk to parquet-mr") {
    val page = ofTen(Encoding.DELTA_BINARY_PACKED, new Array[Byte](80))
    val sink = new CollectedValues
    assert(!pageValues("required int64 a;", sink).addAll(new OnePage(page)))
    assert(sink.values.isEmpty)
  }
}

private object ChunkValuesSuite {

  /** The dictionary encoding of files of version 1. */
  private val OfDictionary = Encoding.valueOf("PLAIN_DICTIONARY")

  private val Rows = 200
  private val Columns = Seq("i", "l", "f", "d", "b", "x", "t", "r.v", "r.w")

  private val Schema = """message m {
    required int32 i; optional int64 l; required float f; optional double d;
    optional binary b; required fixed_len_byte_array(5) x; optional int96 t;
    repeated group r { optional int64 v; repeated binary w; }
  }"""

  /** Writes a file with pages of few rows, and with dictionaries that some columns outgrow. */
  private def written(random: Random, style: Style): JPath =
    TestFiles.write(
      Schema,
      style.copy(dictionaryBytes = 300, rowsPerPage = Some(20)),
      Iterator.fill(Rows)((row: Group) => fill(row, random)))

  private def fill(row: Group, random: Random): Unit = {
    def sometimes(add: => Unit): Unit = if (random.nextInt(4) > 0) add
    def bytes(length: Int): Binary = {
      val value = new Array[Byte](length)
      random.nextBytes(value)
      Binary.fromConstantByteArray(value)
    }
    row.add("i", random.nextInt(3))
    sometimes(row.add("l", random.nextLong()))
    row.add("f", random.nextInt(3) - 1f)
    sometimes(row.add("d", random.nextDouble()))
    sometimes(row.add("b", bytes(random.nextInt(20))))
    row.add("x", bytes(5))
    sometimes(row.add("t", bytes(12)))
    for (_ <- 0 until random.nextInt(3)) {
      val inner = row.addGroup("r")
      sometimes(inner.add("v", random.nextInt(50).toLong))
      for (_ <- 0 until random.nextInt(3)) inner.add("w", bytes(random.nextInt(2)))
    }
  }

  private def read(path: JPath)(values: ChunkValues => ValueSink => Unit): Seq[Any] = {
    val sink = new CollectedValues
    reading(path)(reader => values(new ChunkValues(reader))(sink))
    sink.values.toSeq
  }

  private def reading[T](path: JPath)(use: ParquetFileReader => T): T = {
    val conf = new Configuration(false)
    val file = new Path(path.toUri)
    new StoredFile(file.getFileSystem(conf).getFileStatus(file), conf).reading(use)
  }

  /** Returns the encodings of each column's values. */
  private def encodings(path: JPath): Set[Set[Encoding]] = reading(path) { reader =>
    val chunks = reader.getRowGroups.get(0).getColumns
    Columns.indices
      .map(chunks.get(_).getEncodingStats.getDataEncodings)
      .map(_.toArray(Array.empty[Encoding]).toSet)
      .toSet
  }

  private def pageValues(column: String, sink: ValueSink): PageValues =
    new PageValues(
      MessageTypeParser.parseMessageType(s"message m { $column }").getColumns.get(0),
      sink)

  private def encoded(levels: Seq[Int]): BytesInput = {
    val encoder = new RunLengthBitPackingHybridEncoder(2, 64, 64, new HeapByteBufferAllocator)
    levels.foreach(encoder.writeInt)
    encoder.toBytes
  }

  private def plain(values: Seq[Long]): BytesInput = {
    val data = ByteBuffer.allocate(8 * values.size).order(ByteOrder.LITTLE_ENDIAN)
    values.foreach(data.putLong)
    BytesInput.from(data.array)
  }

  /** Returns a page of version 1 with definition levels up to 2. */
  private def page1(levels: Seq[Int], values: Seq[Long]): DataPage = {
    val definition = encoded(levels)
    val bytes =
      BytesInput.concat(BytesInput.fromInt(definition.size.toInt), definition, plain(values))
    new DataPageV1(
      bytes,
      levels.size,
      bytes.size.toInt,
      null, // statistics
      Encoding.RLE,
      Encoding.RLE,
      Encoding.PLAIN)
  }

  /** Returns a page of version 2 with definition levels up to 2 and a given null count. */
  private def page2(levels: Seq[Int], nulls: Int, values: Seq[Long]): DataPageV2 =
    DataPageV2.uncompressed(
      levels.size,
      nulls,
      levels.size,
      BytesInput.empty,
      encoded(levels),
      Encoding.PLAIN,
      plain(values),
      null // statistics
    )

  /** Returns a page whose header states ten values, none of them null. */
  private def ofTen(encoding: Encoding, bytes: Array[Byte]): DataPage =
    new DataPageV1(
      BytesInput.from(bytes),
      10,
      bytes.length,
      null, // statistics
      Encoding.RLE,
      Encoding.RLE,
      encoding)

  private final class OnePage(page: DataPage) extends PageReader {
    private var isRead = false

    override def readDictionaryPage(): DictionaryPage = null
    override def getTotalValueCount: Long = page.getValueCount.toLong

    override def readPage(): DataPage =
      if (isRead) null
      else {
        isRead = true
        page
      }
  }
}
