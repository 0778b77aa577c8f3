package io.sbbf.index.format

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import io.sbbf.core.bloom.SplitBlockBloomFilter

/**
 * The bloom filters of a column's zones.
 *
 * @param table the table of the zones
 * @param rule how they were built
 * @param slabs the filters, those of one size in one slab
 */
private[sbbf] final case class StoredZones(
    table: StoredTable,
    rule: StoredZones.Rule,
    slabs: Seq[StoredZones.Slab]) {

  /** The size of its files in bytes. */
  def bytes: Long = table.bytes + slabs.flatMap(_.parts).map(_.bytes).sum

  /** Whether each slab has all blocks of its filters, in ascending parts, and sizes are distinct. */
  private[format] def isWhole: Boolean =
    slabs.map(_.filterBytes).distinct.size == slabs.size && slabs.forall(_.isWhole)

  private[format] def writeTo(node: ObjectNode): Unit = {
    node
      .put("items", rule.items)
      .put("fpp", rule.fpp)
      .put("from_filters", rule.fromFilters)
    node
      .putObject("table")
      .put("name", table.name)
      .put("bytes", table.bytes)
      .put("zones", table.rows)
      .put("checksum", table.checksum)
    val list = node.putArray("slabs")
    slabs.foreach(_.writeTo(list.addObject()))
  }
}

private[sbbf] object StoredZones {

  /**
   * How the zones of a column are cut and filtered.
   *
   * @param items the rows of a zone, at most; 0 for a whole row group
   * @param fpp the false positive probability of a filter of so many distinct values
   * @param fromFilters whether the filters are those of the files; `items` is 0 then
   */
  final case class Rule(items: Int, fpp: Double, fromFilters: Boolean)

  /**
   * Filters of one size, bit-sliced.
   *
   * @param filterBytes the size of a filter, a power of two
   * @param filters the number of filters
   * @param parts the files, in the order of their blocks
   */
  final case class Slab(filterBytes: Int, filters: Int, parts: Seq[Part]) {

    /** The bytes of a slice with its checksum. */
    def sliceBytes: Int = Slab.sliceBytes(filters)

    private[StoredZones] def isWhole: Boolean = {
      val ends =
        parts.scanLeft(0)((end, part) => if (part.firstBlock == end) end + part.blocks else -1)
      Integer.bitCount(filterBytes) == 1 &&
      ends.last == filterBytes / SplitBlockBloomFilter.BytesPerBlock
    }

    private[StoredZones] def writeTo(node: ObjectNode): Unit = {
      val list = node
        .put("filter_bytes", filterBytes)
        .put("filters", filters)
        .putArray("parts")
      parts.foreach { part =>
        list
          .addObject()
          .put("name", part.name)
          .put("bytes", part.bytes)
          .put("first_block", part.firstBlock)
          .put("blocks", part.blocks)
          .put("first_slice", part.firstSlice)
          .put("page_bytes", part.pageBytes)
      }
    }
  }

  object Slab {

    /** The bytes of the checksum of a slice. */
    final val ChecksumBytes = 4

    /** Returns the bytes of a slice of so many filters, with its checksum. */
    def sliceBytes(filters: Int): Int = (filters + 7) / 8 + ChecksumBytes
  }

  /**
   * A file of slices. Slice `s` of block `b` begins at
   * `firstSlice + (b - firstBlock) * pageBytes + s * sliceBytes`.
   *
   * @param firstBlock the number of its first block
   * @param firstSlice the position of its first slice
   * @param pageBytes the distance of the slices of two blocks
   */
  final case class Part(
      name: String,
      bytes: Long,
      firstBlock: Int,
      blocks: Int,
      firstSlice: Long,
      pageBytes: Int)

  private[format] def of(node: JsonNode): StoredZones = {
    val table = node.required("table")
    StoredZones(
      StoredTable(
        table.required("name").asText,
        table.required("bytes").asLong,
        table.required("zones").asInt,
        table.required("checksum").asLong),
      Rule(
        node.required("items").asInt,
        node.required("fpp").asDouble,
        node.required("from_filters").asBoolean),
      SegmentManifest.all(node.required("slabs"))(slab)
    )
  }

  private def slab(node: JsonNode): Slab =
    Slab(
      node.required("filter_bytes").asInt,
      node.required("filters").asInt,
      SegmentManifest.all(node.required("parts"))(part))

  private def part(node: JsonNode): Part =
    Part(
      node.required("name").asText,
      node.required("bytes").asLong,
      node.required("first_block").asInt,
      node.required("blocks").asInt,
      node.required("first_slice").asLong,
      node.required("page_bytes").asInt
    )
}
