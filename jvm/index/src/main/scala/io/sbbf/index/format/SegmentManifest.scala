package io.sbbf.index.format

import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/**
 * Describes a segment of an index: the contents of its `_segment.json`, which is written last. A
 * folder without it is no segment. docs/index-format.md specifies it.
 *
 * @param id the name of the segment's folder, a UUID
 * @param createdAt milliseconds since 1970
 * @param rowGroups the number of row groups of all files
 * @param files the table of the files
 * @param columns the indexed columns, in the order in which the table of the files lists them
 * @param replaces the ids of the segments that this one makes superfluous
 * @param readAs identifies how the files were read, for files whose values depend on that; None for
 *   Parquet files. Only scans that read them in the same way may use the segment.
 */
private[sbbf] final case class SegmentManifest(
    id: String,
    createdAt: Long,
    rowGroups: Int,
    files: StoredTable,
    columns: Seq[IndexedColumn],
    replaces: Seq[String],
    readAs: Option[String] = None) {

  /** The size of the segment's files in bytes, without `_segment.json`. */
  def bytes: Long = files.bytes + columns.map(_.bytes).sum

  /** Returns the text of the file. Its last field is the CRC-32 of all bytes before that field. */
  def toJson: Array[Byte] = {
    val text = SegmentManifest.mapper.writeValueAsString(content).stripSuffix("}").getBytes(UTF_8)
    text ++ s"${SegmentManifest.ChecksumField}${SegmentManifest.checksum(text)}}".getBytes(UTF_8)
  }

  private def content: ObjectNode = {
    val root = SegmentManifest.mapper.createObjectNode()
    root
      .put("version", SegmentManifest.Version)
      .put("id", id)
      .put("created_at", createdAt)
      .put("row_groups", rowGroups)
    root
      .putObject("files")
      .put("name", files.name)
      .put("bytes", files.bytes)
      .put("files", files.rows)
      .put("checksum", files.checksum)
    val list = root.putArray("columns")
    columns.foreach(_.writeTo(list.addObject()))
    val others = root.putArray("replaces")
    replaces.foreach(others.add(_))
    readAs.foreach(root.put("read_as", _))
    root
  }
}

private[sbbf] object SegmentManifest {

  /** The version of the format that this code reads and writes. */
  final val Version = 2

  final val FileName = "_segment.json"

  private val mapper = new ObjectMapper

  private val ChecksumField = ",\"checksum\":"

  private def checksum(bytes: Array[Byte]): Long = {
    val crc = new CRC32
    crc.update(bytes, 0, bytes.length)
    crc.getValue
  }

  /** Returns the segments that no other one replaces, the newest first. */
  def current(all: Seq[SegmentManifest]): Seq[SegmentManifest] = {
    val replaced = all.flatMap(_.replaces).toSet
    all.filterNot(m => replaced(m.id)).sortBy(m => (-m.createdAt, m.id))
  }

  /**
   * Returns the manifest of a segment.
   *
   * @throws DamagedIndex if the text is damaged, no manifest, or one of another version
   */
  def of(json: Array[Byte]): SegmentManifest =
    try {
      val text = new String(json, UTF_8)
      val end = text.lastIndexOf(ChecksumField)
      val root = mapper.readTree(json)
      if (end < 0 || checksum(text.substring(0, end).getBytes(UTF_8)) !=
          root.required("checksum").asLong) throw new DamagedIndex("checksum mismatch")
      val version = root.required("version").asInt
      if (version != Version) throw new DamagedIndex(s"version $version, expected $Version")
      val found = parsed(root)
      if (found.columns.exists(c => c.zones.isEmpty && (c.hashBits < 1 || c.hashBits > 62)))
        throw new DamagedIndex("hash_bits must be from 1 to 62")
      if (!found.columns.flatMap(_.zones).forall(_.isWhole))
        throw new DamagedIndex("slabs must have all blocks of filters of distinct sizes")
      found
    } catch {
      case e: DamagedIndex => throw e
      case NonFatal(e) => throw new DamagedIndex("no manifest of an index", e)
    }

  private def parsed(root: JsonNode): SegmentManifest = {
    val files = root.required("files")
    SegmentManifest(
      root.required("id").asText,
      root.required("created_at").asLong,
      root.required("row_groups").asInt,
      StoredTable(
        files.required("name").asText,
        files.required("bytes").asLong,
        files.required("files").asInt,
        files.required("checksum").asLong),
      all(root.required("columns"))(column),
      all(root.required("replaces"))(_.asText),
      Option(root.get("read_as")).map(_.asText)
    )
  }

  private[format] def all[T](list: JsonNode)(of: JsonNode => T): Seq[T] =
    (0 until list.size).map(i => of(list.get(i)))

  /** A column has keys or zones. Older code finds no keys in the latter, and ignores the segment. */
  private def column(node: JsonNode): IndexedColumn = {
    val name = node.required("name").asText
    if (node.has("zones")) IndexedColumn.ofZones(name, StoredZones.of(node.get("zones")))
    else
      IndexedColumn(name, node.required("hash_bits").asInt, all(node.required("parts"))(part))
  }

  private def part(node: JsonNode): StoredPart =
    StoredPart(
      node.required("name").asText,
      node.required("bytes").asLong,
      node.required("index_offset").asLong,
      node.required("checksum").asLong,
      node.required("keys").asLong,
      node.required("entries").asLong,
      node.required("first_key").asLong,
      node.required("last_key").asLong
    )
}
