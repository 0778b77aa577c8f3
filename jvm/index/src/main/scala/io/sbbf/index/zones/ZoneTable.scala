package io.sbbf.index.zones

import java.util.HashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

import io.sbbf.index.format.{StoredTable, StoredZones}

/** Reads and writes the table of a column's zones, in the columns of Lance's bloom filter index. */
private[sbbf] object ZoneTable {
  private val Schema: MessageType = MessageTypeParser.parseMessageType("""
    message zones {
      required int64 fragment_id (INTEGER(64, false));
      required int64 zone_start (INTEGER(64, false));
      required int64 zone_length (INTEGER(64, false));
      required boolean has_null;
      required int32 row_group;
      required int32 filter_bytes;
      required int32 filter;
    }""")

  /**
   * Writes the table.
   *
   * @throws java.io.IOException if it cannot be written
   */
  def write(
      zones: Iterator[Zone],
      rule: StoredZones.Rule,
      path: Path,
      conf: Configuration): StoredTable = {
    val groups = new SimpleGroupFactory(Schema)
    StoredTable.write(zones.map(group(_, groups)), Schema, path, conf, properties(rule))
  }

  /**
   * Passes the zones to `use` in the order in which they were written.
   *
   * @param folder the folder of the segment
   * @throws java.io.IOException if the table cannot be read or is damaged
   */
  def read(table: StoredTable, folder: Path, conf: Configuration)(use: Zone => Unit): Unit =
    table.read(folder, conf)(row => use(zone(row)))

  /** The names are Lance's. The filters of files have no one probability. */
  private def properties(rule: StoredZones.Rule): HashMap[String, String] = {
    val entries = new HashMap[String, String]
    entries.put("bloomfilter_item", rule.items.toString)
    if (!rule.fromFilters) entries.put("bloomfilter_probability", rule.fpp.toString)
    entries
  }

  private def group(zone: Zone, groups: SimpleGroupFactory): Group =
    groups
      .newGroup()
      .append("fragment_id", zone.file.toLong)
      .append("zone_start", zone.start)
      .append("zone_length", zone.length)
      .append("has_null", zone.hasNull)
      .append("row_group", zone.rowGroup)
      .append("filter_bytes", zone.filterBytes)
      .append("filter", zone.filter)

  private def zone(row: Group): Zone =
    Zone(
      Math.toIntExact(row.getLong("fragment_id", 0)),
      row.getLong("zone_start", 0),
      row.getLong("zone_length", 0),
      row.getBoolean("has_null", 0),
      row.getInteger("row_group", 0),
      row.getInteger("filter_bytes", 0),
      row.getInteger("filter", 0)
    )
}

/**
 * A row of the table of zones.
 *
 * @param file the number of its file in the segment
 * @param start the number of its first row in the file
 * @param length the number of its rows
 * @param hasNull whether the column may be NULL in one of them
 * @param rowGroup the number of its row group in the segment
 * @param filterBytes the size of the filters of its slab
 * @param filter the number of its filter in the slab
 */
private[sbbf] final case class Zone(
    file: Int,
    start: Long,
    length: Long,
    hasNull: Boolean,
    rowGroup: Int,
    filterBytes: Int,
    filter: Int)
