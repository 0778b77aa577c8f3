package io.sbbf.index.format

import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * An indexed column.
 *
 * @param name its name at the time of the build
 * @param hashBits the number of leading bits of a hash that a key keeps
 * @param parts the files that hold its keys, in ascending order of their keys
 */
private[sbbf] final case class IndexedColumn(
    name: String,
    hashBits: Int,
    parts: Seq[StoredPart]) {

  private[format] def writeTo(node: ObjectNode): Unit = {
    node.put("name", name).put("hash_bits", hashBits)
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
