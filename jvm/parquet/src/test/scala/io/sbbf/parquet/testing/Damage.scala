package io.sbbf.parquet.testing

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import scala.util.Random
import scala.util.control.NonFatal

import org.apache.parquet.example.data.Group
import org.apache.parquet.format._

import io.sbbf.parquet.input.CompactStruct

/**
 * An undamaged file of three row groups, with filters on `id` (INT64) and on `text`, the decimal
 * digits of `id`. Files with dictionaries have no filters.
 *
 * @param name the name of the writer
 * @param bytes the contents of the file
 * @param keys the number of distinct ids in each row group
 */
final case class SampleFile(name: String, bytes: Array[Byte], keys: Int) {

  /** Returns a key by the formula of the script that wrote the resources. */
  def key(rowGroup: Int, n: Int): Long =
    (rowGroup * keys + n + 1) * 0x9e3779b97f4a7c15L ^ Long.MinValue
}

object SampleFile {
  final val RowGroups = 3

  /**
   * The files of four writers: parquet-mr (with and without filter lengths, and with
   * dictionaries), C++, Rust and DuckDB.
   */
  lazy val all: Seq[SampleFile] = {
    val plain = byParquetMr(TestFiles.Style(filters = Map("id" -> 100, "text" -> 100)), 100)
    val resources =
      Seq("pyarrow", "datafusion", "duckdb").map(n => SampleFile(n, resource(n), 50))
    resources ++ Seq(
      plain.copy(name = "parquet-mr, with filter lengths", bytes = withLengths(plain.bytes)),
      plain.copy(
        name = "parquet-mr, without filter lengths",
        bytes = withoutLengths(plain.bytes)),
      byParquetMr(TestFiles.Style(dictionary = true), 25).copy(name = "parquet-mr, dictionaries")
    )
  }

  private def byParquetMr(style: TestFiles.Style, keys: Int): SampleFile = {
    val empty = SampleFile("parquet-mr", Array.empty, keys)
    val path = TestFiles.write(
      "message m { required int64 id; required binary text (STRING); required int32 row; }",
      style,
      (0 until RowGroups * TestFiles.RowsPerGroup).iterator.map { row => (g: Group) =>
        val key = empty.key(row / TestFiles.RowsPerGroup, row % keys)
        g.append("id", key).append("text", key.toString).append("row", row)
        ()
      }
    )
    empty.copy(bytes = java.nio.file.Files.readAllBytes(path))
  }

  private def resource(name: String): Array[Byte] = {
    val stream = getClass.getResourceAsStream(s"$name.parquet")
    try Iterator.continually(stream.read()).takeWhile(_ >= 0).map(_.toByte).toArray
    finally stream.close()
  }

  private def withoutLengths(bytes: Array[Byte]): Array[Byte] =
    Damage.rewrite(bytes)((m, _) => Damage.filtered(m).foreach(_.unsetBloom_filter_length()))

  private def withLengths(bytes: Array[Byte]): Array[Byte] = Damage.rewrite(bytes) { (m, data) =>
    Damage.filtered(m).foreach { column =>
      val (end, header) = Damage.header(data, column)
      val length = end - column.getBloom_filter_offset.toInt + header.getNumBytes
      column.setBloom_filter_length(length)
    }
  }
}

/**
 * Damages headers, lengths, offsets and any other byte of a footer, in one or two places at a
 * time.
 *
 * It leaves out damage that no reader can detect, because nothing in the file contradicts it:
 *
 *  - the bits of a filter and the values in a dictionary
 *  - a filter that moves from one chunk to another
 *  - what the footer states about values rather than places: statistics, counts, encodings, types
 */
final class Damage(random: Random) {
  import Damage._

  /**
   * Returns the kind of damage and the damaged file. The file is None if it states other facts
   * about values than before.
   */
  def of(sample: SampleFile): (String, Option[Array[Byte]]) = {
    val (name, change) = pick(kinds)
    val once = change(sample.bytes)
    val bytes = if (random.nextInt(4) > 0) once else pick(structured)._2(once)
    (name, Some(bytes).filter(isHonest(sample.bytes, _)))
  }

  private type Change = Array[Byte] => Array[Byte]

  private lazy val structured: Seq[(String, Change)] = Seq(
    "filter header: bytes" -> rewriting((_, data, column) => headerBytes(data, column)),
    "filter header: numBytes" -> rewriting((_, data, column) =>
      claim(data, column, right => near(right.toLong).toInt)),
    "filter header: nested" -> rewriting((_, data, column) =>
      Arrays.fill(
        data,
        offset(column),
        math.min(data.length, offset(column) + 200),
        0x1c.toByte)),
    "filter length" -> rewriting((_, _, column) =>
      if (random.nextBoolean()) column.unsetBloom_filter_length()
      else column.setBloom_filter_length(near(column.getBloom_filter_length).toInt)),
    "filter offset" -> rewriting((m, data, column) =>
      column.setBloom_filter_offset(place(m, data, column.getBloom_filter_offset))),
    "chunk offsets" -> rewriting(chunkOffset),
    "chunk sizes" -> rewriting((_, _, column) =>
      if (random.nextBoolean())
        column.setTotal_compressed_size(near(column.getTotal_compressed_size))
      else column.setTotal_uncompressed_size(near(column.getTotal_uncompressed_size))),
    "codec" -> rewriting((_, _, column) => column.setCodec(pick(CompressionCodec.values.toSeq))),
    "row group" -> rewriting((m, _, _) => rowGroup(pickOne(m.getRow_groups))),
    "page indexes" -> rewriting((m, data, _) => pageIndex(m, data))
  )

  private lazy val kinds: Seq[(String, Change)] = structured ++ Seq(
    "any bytes of the footer" -> footerBytes _,
    "any bytes of the footer" -> footerBytes _,
    "footer length and magic" -> ((bytes: Array[Byte]) =>
      flipped(bytes, bytes.length - 8, bytes.length)),
    "cut" -> ((bytes: Array[Byte]) => bytes.take(random.nextInt(bytes.length)))
  )

  /** Changes a file's thrift structures, at a chunk with a filter if there is one. */
  private def rewriting(change: (FileMetaData, Array[Byte], ColumnMetaData) => Any): Change =
    bytes =>
      try
        rewrite(bytes) { (m, data) =>
          val columns = if (filtered(m).isEmpty) chunks(m) else filtered(m)
          change(m, data, pick(columns))
        }
      catch { case NonFatal(_) => bytes } // the earlier damage made the file unreadable

  private def headerBytes(data: Array[Byte], column: ColumnMetaData): Unit = {
    val length = header(data, column)._1 - offset(column) // the bits after it represent values
    (0 to random.nextInt(3)).foreach { _ =>
      data(offset(column) + random.nextInt(length)) = random.nextInt(256).toByte
    }
  }

  private def chunkOffset(m: FileMetaData, data: Array[Byte], column: ColumnMetaData): Unit =
    random.nextInt(3) match {
      case 0 => column.setData_page_offset(place(m, data, column.getData_page_offset))
      case 1 => column.setDictionary_page_offset(place(m, data, column.getData_page_offset))
      case _ => column.unsetDictionary_page_offset()
    }

  private def rowGroup(group: RowGroup): Unit = random.nextInt(5) match {
    case 0 => group.setFile_offset(near(group.getFile_offset))
    case 1 => group.setTotal_compressed_size(near(group.getTotal_compressed_size))
    case 2 => group.unsetTotal_compressed_size()
    case 3 => group.setOrdinal(random.nextInt(9).toShort)
    case _ => java.util.Collections.swap(group.getColumns, 0, 1)
  }

  private def pageIndex(m: FileMetaData, data: Array[Byte]): Unit = {
    val chunk = pickOne(pickOne(m.getRow_groups).getColumns)
    random.nextInt(4) match {
      case 0 => chunk.setColumn_index_offset(place(m, data, chunk.getColumn_index_offset))
      case 1 => chunk.setColumn_index_length(near(chunk.getColumn_index_length).toInt)
      case 2 => chunk.setOffset_index_offset(place(m, data, chunk.getOffset_index_offset))
      case _ => chunk.setFile_offset(place(m, data, chunk.getFile_offset))
    }
  }

  private def footerBytes(bytes: Array[Byte]): Array[Byte] =
    flipped(bytes, TestFiles.footerOf(bytes)._2, bytes.length - 8)

  private def flipped(bytes: Array[Byte], from: Int, until: Int): Array[Byte] = {
    val copy = bytes.clone()
    (0 to random.nextInt(3)).foreach(_ =>
      copy(from + random.nextInt(until - from)) = random.nextInt(256).toByte)
    copy
  }

  /** Returns a number that damage may turn `right` into. */
  private def near(right: Long): Long =
    pick(
      Seq[Long](
        0,
        1,
        -1,
        31,
        32,
        33,
        47,
        64,
        right / 2,
        right * 2,
        right + 1,
        right - 1,
        right - 32,
        right + 32,
        -right,
        Int.MaxValue,
        Int.MaxValue - 31L,
        1L << 28,
        Int.MinValue,
        random.nextInt(1 << 20).toLong,
        random.nextLong()
      ))

  /**
   * Returns a position that damage may turn `right` into, including positions of other
   * structures.
   */
  private def place(m: FileMetaData, data: Array[Byte], right: Long): Long = {
    val others = chunks(m).flatMap(c => Seq(c.getData_page_offset, c.getBloom_filter_offset))
    pick(
      Seq[Long](
        0,
        -1,
        1,
        3,
        4,
        right + 1,
        right - 1,
        right + 16,
        right + 32,
        right / 2,
        pick(others),
        pick(others),
        random.nextInt(data.length).toLong,
        data.length - 1L,
        data.length.toLong,
        data.length + 20L,
        data.length + 4096L,
        Long.MaxValue,
        Long.MinValue,
        1L << 31
      ))
  }

  private def offset(column: ColumnMetaData): Int = column.getBloom_filter_offset.toInt
  private def pick[T](some: Seq[T]): T = some(random.nextInt(some.length))
  private def pickOne[T](some: java.util.List[T]): T = some.get(random.nextInt(some.size))
}

object Damage {

  /** Returns a copy of the file with changed structures. */
  def rewrite(bytes: Array[Byte])(change: (FileMetaData, Array[Byte]) => Any): Array[Byte] = {
    val (metadata, start) = TestFiles.footerOf(bytes)
    val data = Arrays.copyOf(bytes, start)
    change(metadata, data)
    val out = new ByteArrayOutputStream
    out.write(data, 0, data.length)
    Util.writeFileMetaData(metadata, out)
    val length = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN)
    out.write(length.putInt(out.size - start).array, 0, 4)
    out.write("PAR1".getBytes, 0, 4)
    out.toByteArray
  }

  /** Returns the end of the header of the chunk's filter, and the header. */
  def header(data: Array[Byte], column: ColumnMetaData): (Int, BloomFilterHeader) = {
    val at = column.getBloom_filter_offset.toInt
    val end = CompactStruct.end(data, at, data.length)
    (end, Util.readBloomFilterHeader(new ByteArrayInputStream(data, at, end - at)))
  }

  /** Writes another size into the header of the chunk's filter and overwrites the bytes there. */
  def claim(data: Array[Byte], column: ColumnMetaData, size: Int => Int): Unit = {
    val (_, changed) = header(data, column)
    changed.setNumBytes(size(changed.getNumBytes))
    val out = new ByteArrayOutputStream
    Util.writeBloomFilterHeader(changed, out)
    System.arraycopy(out.toByteArray, 0, data, column.getBloom_filter_offset.toInt, out.size)
  }

  def chunks(metadata: FileMetaData): Seq[ColumnMetaData] = for {
    g <- 0 until metadata.getRow_groups.size
    columns = metadata.getRow_groups.get(g).getColumns
    c <- 0 until columns.size
  } yield columns.get(c).getMeta_data

  /** Returns the chunks for which the footer names a filter. */
  def filtered(metadata: FileMetaData): Seq[ColumnMetaData] =
    chunks(metadata).filter(_.getBloom_filter_offset > 0)

  /** Whether the damaged footer is unreadable or states the same facts about values as before. */
  private def isHonest(sound: Array[Byte], damaged: Array[Byte]): Boolean =
    readable(damaged).forall { footer =>
      val was = TestFiles.footerOf(sound)._1
      said(footer) == said(was) && !isHandedOver(filterOffsets(was), filterOffsets(footer))
    }

  /** Whether a chunk's filter is now the filter of another chunk only. */
  private def isHandedOver(was: Seq[Long], is: Seq[Long]): Boolean =
    was.zip(is).exists { case (before, now) =>
      before > 0 && before != now && is.contains(before)
    }

  private def filterOffsets(m: FileMetaData): Seq[Long] = chunks(m).map(_.getBloom_filter_offset)

  private def readable(bytes: Array[Byte]): Option[FileMetaData] =
    try {
      val length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 8)
      CompactStruct.end(
        bytes,
        bytes.length - 8 - length,
        bytes.length - 8
      ) // checked before the parser allocates memory
      Some(TestFiles.footerOf(bytes)._1)
    } catch { case NonFatal(_) => None }

  private def said(m: FileMetaData): Any = (
    m.getSchema,
    m.getColumn_orders,
    chunks(m).map(c =>
      if (c == null) null
      else
        (
          c.getStatistics,
          c.getNum_values,
          c.getEncodings,
          c.getEncoding_stats,
          c.getPath_in_schema)),
    (0 until m.getRow_groups.size).map(m.getRow_groups.get(_).getNum_rows))
}
