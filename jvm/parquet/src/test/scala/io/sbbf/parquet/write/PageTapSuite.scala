package io.sbbf.parquet.write

import java.io.ByteArrayOutputStream
import java.lang.reflect.{InvocationHandler, Method, Proxy}

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.column.page.{DictionaryPage, PageWriteStore, PageWriter}
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.example.data.{Group, GroupWriter}
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.io.{ColumnIOFactory, ValidatingRecordConsumer}
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.testing.TestFiles
import io.sbbf.parquet.values.{CollectedValues, PageValues}

/**
 * Compares the written pages with those of an untapped writer, and their values with the rows.
 */
class PageTapSuite extends AnyFunSuite {
  import PageTapSuite._

  for {
    version <- WriterVersion.values
    dictionary <- Seq(false, true)
  } test(s"pages of $version pass on their values, dictionaries: $dictionary") {
    val rows = some(new Random(TestFiles.seed()))
    val sinks = Seq.fill(Columns)(new CollectedValues)
    val pages = Seq.tabulate(Columns)(n => new PageValues(Schema.getColumns.get(n), sinks(n)))
    val watched = written(rows, version, dictionary) { consumer =>
      assert(PageTap.watch(consumer, pages.indices.zip(pages).toMap, fail(_)))
    }
    pages.foreach(_.end())
    assert(watched == written(rows, version, dictionary)(_ => ()))
    for (column <- 0 until Columns) {
      val (found, expected) = (sinks(column).values.toSeq, values(rows, column))
      assert(found.toSet == expected.toSet, Schema.getColumns.get(column))
      assert(expected.size > 100)
      if (!dictionary) assert(found == expected, Schema.getColumns.get(column))
    }
    if (dictionary)
      assert(sinks.head.values.size == 3, "each value of the dictionary is passed once")
  }

  test("a consumer of another class than parquet-mr's own is not watched") {
    val wrapped = new ValidatingRecordConsumer(null, Schema)
    assert(!PageTap.watch(wrapped, Map.empty, fail(_)))
  }
}

private object PageTapSuite {
  private val Schema = MessageTypeParser.parseMessageType("""message m {
    required int32 few; optional int64 l; required double d; optional binary b;
    repeated group r { optional int64 v; }
  }""")
  private val Columns = Schema.getColumns.size

  private def some(random: Random): Seq[Group] = Seq.fill(400) {
    val row = new SimpleGroup(Schema)
    row.add("few", random.nextInt(3))
    if (random.nextBoolean()) row.add("l", random.nextInt(200).toLong)
    row.add("d", random.nextDouble())
    if (random.nextBoolean()) row.add("b", random.nextString(random.nextInt(5)))
    for (_ <- 0 until random.nextInt(4)) {
      val inner = row.addGroup("r")
      if (random.nextBoolean()) inner.add("v", random.nextLong())
    }
    row
  }

  /** Returns the values of a column in the form that sinks receive. */
  private def values(rows: Seq[Group], column: Int): Seq[Any] = {
    def each[T](name: String)(get: (Group, Int) => T)(row: Group) =
      (0 until row.getFieldRepetitionCount(name)).map(get(row, _))
    column match {
      case 0 => rows.flatMap(each("few")(_.getInteger("few", _)))
      case 1 => rows.flatMap(each("l")(_.getLong("l", _)))
      case 2 =>
        rows.flatMap(
          each("d")((r, n) => java.lang.Double.doubleToRawLongBits(r.getDouble("d", n))))
      case 3 => rows.flatMap(each("b")(_.getBinary("b", _).getBytes.toSeq))
      case _ => rows.flatMap(each("r")(_.getGroup("r", _))).flatMap(each("v")(_.getLong("v", _)))
    }
  }

  /** Writes the rows and returns the calls that write the columns' pages. */
  private def written(rows: Seq[Group], version: WriterVersion, dictionary: Boolean)(
      watch: RecordConsumer => Unit): Seq[(String, Seq[Any])] = {
    val pages = new Pages
    val store = ParquetProperties
      .builder()
      .withWriterVersion(version)
      .withDictionaryEncoding(dictionary)
      .withDictionaryPageSize(600)
      .withPageRowCountLimit(20)
      .withMinRowCountForPageSizeCheck(20)
      .build()
      .newColumnWriteStore(Schema, pages)
    val consumer = new ColumnIOFactory(false).getColumnIO(Schema).getRecordWriter(store)
    watch(consumer)
    val writer = new GroupWriter(consumer, Schema)
    rows.foreach(writer.write)
    consumer.flush()
    store.flush()
    pages.written.toSeq
  }

  private final class Pages extends PageWriteStore {
    val written = ArrayBuffer.empty[(String, Seq[Any])]

    override def getPageWriter(column: ColumnDescriptor): PageWriter = {
      val handler: InvocationHandler = (_: Any, method: Method, arguments: Array[AnyRef]) => {
        if (method.getName.startsWith("write"))
          written += method.getName -> arguments.toSeq.map(plain)
        if (method.getReturnType == classOf[Long]) Long.box(0L) else null
      }
      val writer = classOf[PageWriter]
      Proxy
        .newProxyInstance(writer.getClassLoader, Array[Class[_]](writer), handler)
        .asInstanceOf[PageWriter]
    }

    private def plain(argument: AnyRef): Any = argument match {
      case bytes: BytesInput => all(bytes)
      case page: DictionaryPage => (all(page.getBytes), page.getDictionarySize, page.getEncoding)
      case number: Integer => number
      case encoding: Encoding => encoding
      case statistics => statistics.getClass
    }

    private def all(bytes: BytesInput): Seq[Byte] = {
      val out = new ByteArrayOutputStream
      bytes.writeAllTo(out)
      out.toByteArray.toSeq
    }
  }
}
