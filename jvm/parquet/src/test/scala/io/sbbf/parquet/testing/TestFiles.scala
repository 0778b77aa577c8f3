package io.sbbf.parquet.testing

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.net.URI
import java.nio.file.{Files, Path => JPath}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import scala.util.{Properties, Random}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileUtil, Path}
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.crypto.FileEncryptionProperties
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.format.{FileMetaData, Util}
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.hadoop.util.HadoopOutputFile
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.Tag

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf, Test}
import io.sbbf.core.predicate.{ColumnPath, Value}
import io.sbbf.parquet.chunk.FilterState
import io.sbbf.parquet.eval.{FileEvidence, LeafEvaluator}
import io.sbbf.parquet.footer.{FileFooter, FooterReader}
import io.sbbf.parquet.input.{Decryption, FileBytes}
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, LeafResult}

/**
 * Reads and evaluates one file on disk for tests. Its streams return at most 1,000 bytes per
 * call, as streams of object stores may.
 */
final class TestFile(
    val path: JPath,
    tailBytes: Int = 64 * 1024,
    keys: Decryption = Decryption.NoKeys) {
  val faults: Faults = new Faults {
    bytesPerRead = 1000
    refusesSeeks = true
  }
  private val disk = new FaultyFileSystem(Some(faults))
  disk.initialize(URI.create("file:///"), new Configuration(false))
  val bytes = new FileBytes(disk, new Path(path.toUri), Files.size(path), tailBytes)
  lazy val footer: FileFooter = FooterReader.read(bytes, keys)
  lazy val evidence: FileEvidence = new FileEvidence(footer)

  def opens: Int = faults.opens.get
  def reads: Int = faults.reads.get

  def bind(leaf: Leaf, caseSensitive: Boolean = true): LeafEvaluator =
    evidence.bind(leaf, ColumnLookup(caseSensitive), new LiteralEncodings)

  /** Evaluates a test on all row groups. */
  def evaluate(column: String, test: Test): Seq[LeafResult] =
    evaluate(ColumnPath.named(column.split('.').toSeq), test)

  def evaluate(column: ColumnPath, test: Test): Seq[LeafResult] = {
    val leaf = bind(Leaf(column, test))
    (0 until footer.numRowGroups).map(leaf.evalContents(_, () => bytes))
  }

  def evaluate(column: String, value: Value): Seq[LeafResult] = evaluate(column, In(Seq(value)))

  def column(name: String): Int = evidence.columnIndex(name.split('.').toSeq, true)
  def filter(rowGroup: Int, name: String): FilterState =
    evidence.filter(rowGroup, column(name), bytes)
}

object TestFiles {
  private lazy val root: JPath = {
    val created = Files.createTempDirectory("sbbf")
    sys.addShutdownHook(FileUtil.fullyDelete(created.toFile))
    created
  }

  /** Returns a new file, which is deleted when the JVM ends. */
  def fresh(): JPath = Files.createTempFile(root, "test", ".parquet")

  /** Returns a new folder, which is deleted with all its files when the JVM ends. */
  def folder(): JPath = Files.createTempDirectory(root, "test")

  /** Marks a test that 'make test-all' runs and 'make test' does not. */
  val FullRun: Tag = Tag(classOf[io.sbbf.FullRun].getName)

  /**
   * Sweeps and random tests run one in so many of their repetitions: a tenth in 'make test', and of
   * these a third on Scala 2.12, which compiles the same sources as 2.13. SBBF_STRIDE overrides it.
   */
  val stride: Int = sys.env
    .get("SBBF_STRIDE")
    .fold {
      val ofScala = if (Properties.versionNumberString.startsWith("2.12")) 3 else 1
      if (sys.env.contains("SBBF_GATE")) 10 * ofScala else ofScala
    }(_.toInt)

  /** Returns how often a test repeats a random case, of `all` times that it can. */
  def times(all: Int, fewest: Int = 1): Int = math.max(fewest, all / stride)

  /** Returns the number of random queries of a test: as `times`, unless SBBF_QUERIES overrides it. */
  def queries(all: Int, fewest: Int): Int =
    sys.env.get("SBBF_QUERIES").fold(times(all, fewest))(_.toInt)

  def seed(): Long = {
    val seed = sys.env.get("SBBF_SEED").fold(Random.nextLong())(_.toLong)
    println(s"SBBF_SEED=$seed")
    seed
  }

  /**
   * The options with which parquet-mr writes a test file. Row groups have 100 rows, because
   * parquet-mr checks their size only after 100 rows. With `rowsPerPage` there is one row group.
   */
  final case class Style(
      filters: Map[String, Int] = Map.empty,
      dictionary: Boolean = false,
      dictionaries: Set[String] = Set.empty,
      dictionaryBytes: Int = ParquetProperties.DEFAULT_DICTIONARY_PAGE_SIZE,
      rowsPerPage: Option[Int] = None,
      codec: CompressionCodecName = CompressionCodecName.UNCOMPRESSED,
      version: WriterVersion = WriterVersion.PARQUET_1_0,
      metadata: java.util.Map[String, String] = java.util.Collections.emptyMap(),
      encryption: Option[FileEncryptionProperties] = None)

  val RowsPerGroup = 100

  def write(
      schema: String,
      style: Style,
      rows: Iterator[Group => Unit],
      path: JPath = fresh()): JPath = {
    val kind = MessageTypeParser.parseMessageType(schema)
    val conf = new Configuration(false)
    var builder = ExampleParquetWriter
      .builder(HadoopOutputFile.fromPath(new Path(path.toUri), conf))
      .withType(kind)
      .withConf(conf)
      .withWriteMode(org.apache.parquet.hadoop.ParquetFileWriter.Mode.OVERWRITE)
      .withDictionaryEncoding(style.dictionary)
      .withDictionaryPageSize(style.dictionaryBytes)
      .withCompressionCodec(style.codec)
      .withWriterVersion(style.version)
      .withExtraMetaData(style.metadata)
    style.filters.foreach { case (column, ndv) =>
      builder =
        builder.withBloomFilterEnabled(column, true).withBloomFilterNDV(column, ndv.toLong)
    }
    builder = style.rowsPerPage match {
      case None => builder.withRowGroupSize(1L)
      // this also sets how often parquet-mr checks the size of the row group
      case Some(rows) =>
        builder.withPageRowCountLimit(rows).withMinRowCountForPageSizeCheck(rows)
    }
    style.dictionaries.foreach(c => builder = builder.withDictionaryEncoding(c, true))
    style.encryption.foreach(properties => builder = builder.withEncryption(properties))
    val writer: ParquetWriter[Group] = builder.build()
    try
      rows.foreach { fill =>
        val row = new SimpleGroup(kind)
        fill(row)
        writer.write(row)
      }
    finally writer.close()
    path
  }

  def footerOf(bytes: Array[Byte]): (FileMetaData, Int) = {
    val length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 8)
    val start = bytes.length - 8 - length
    (Util.readFileMetaData(new ByteArrayInputStream(bytes, start, length)), start)
  }

  /** Returns a copy of the file with a changed footer and, if wanted, changed bytes before it. */
  def damaged(path: JPath)(change: (FileMetaData, Array[Byte]) => Unit): JPath = {
    val bytes = Files.readAllBytes(path)
    val (metadata, start) = footerOf(bytes)
    val data = Arrays.copyOf(bytes, start)
    change(metadata, data)
    withFooter(data, metadata)
  }

  def withFooter(data: Array[Byte], metadata: FileMetaData): JPath = {
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(metadata, out)
    withFooter(data, out.toByteArray)
  }

  def withFooter(data: Array[Byte], footer: Array[Byte]): JPath = {
    val path = fresh()
    val end = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(footer.length).array
    Files.write(path, data ++ footer ++ end ++ "PAR1".getBytes)
    path
  }
}
