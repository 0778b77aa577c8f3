package io.sbbf.index.format

import com.fasterxml.jackson.databind.node.ObjectNode

import io.sbbf.core.predicate.{KeyFunction, KeyedColumn}

/**
 * An indexed column.
 *
 * @param name its name at the time of the build, or that of a function of a column; see [[KeyedColumn]]
 * @param hashBits the number of leading bits of a hash that a key keeps
 * @param parts the files that hold its keys, in ascending order of their keys
 * @param zones the filters of its zones. A column with these has no keys.
 */
private[sbbf] final case class IndexedColumn(
    name: String,
    hashBits: Int,
    parts: Seq[StoredPart],
    zones: Option[StoredZones] = None) {

  /** The kind of the column's index. */
  def kind: String = if (zones.isDefined) IndexedColumn.Bloom else IndexedColumn.Keys

  /** The number of pairs of a key and a row group, or of zones. */
  def entries: Long = parts.map(_.entries).sum + zones.fold(0L)(_.table.rows.toLong)

  /** The size of its files in bytes. */
  def bytes: Long = parts.map(_.bytes).sum + zones.fold(0L)(_.bytes)

  /** Returns whether its keys are those of the function, or of the values if there is none. */
  def hasKeysOf(function: Option[KeyFunction]): Boolean =
    KeyedColumn.parse(name).exists(_.function == function) && (zones.isEmpty || function.isEmpty)

  private[format] def writeTo(node: ObjectNode): Unit = {
    node.put("name", name)
    zones match {
      case Some(filters) => filters.writeTo(node.putObject("zones"))
      case None => writeKeysTo(node)
    }
  }

  private def writeKeysTo(node: ObjectNode): Unit = {
    node.put("hash_bits", hashBits)
    val list = node.putArray("parts")
    parts.foreach { part =>
      list
        .addObject()
        .put("name", part.name)
        .put("bytes", part.bytes)
        .put("index_offset", part.indexOffset)
        .put("checksum", part.checksum)
        .put("keys", part.keys)
        .put("entries", part.entries)
        .put("first_key", part.firstKey)
        .put("last_key", part.lastKey)
    }
  }
}

private[sbbf] object IndexedColumn {

  /** Sorted keys, each with the row groups that hold it. */
  final val Keys = "keys"

  /** Bloom filters of zones. */
  final val Bloom = "bloom"

  /** Returns a column with filters of its zones. */
  def ofZones(name: String, zones: StoredZones): IndexedColumn =
    IndexedColumn(name, hashBits = 0, parts = Nil, Some(zones))
}

/**
 * A file of keys.
 *
 * @param indexOffset the position after the pages, where their index begins
 * @param checksum the CRC-32 of the bytes from there to the end of the file
 * @param keys the number of distinct keys
 * @param entries the number of pairs of a key and a row group
 */
private[sbbf] final case class StoredPart(
    name: String,
    bytes: Long,
    indexOffset: Long,
    checksum: Long,
    keys: Long,
    entries: Long,
    firstKey: Long,
    lastKey: Long)
