package io.sbbf.index.format

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

/** Reads and writes the table of a segment's files. */
private[sbbf] object FileTable {
  private val Schema: MessageType = MessageTypeParser.parseMessageType("""
    message files {
      required binary path (STRING);
      required int64 length;
      required int64 modification_time (TIMESTAMP(MILLIS, true));
      optional binary etag (STRING);
      required int64 read_at (TIMESTAMP(MILLIS, true));
      required int32 first_row_group;
      required int32 row_groups;
      required int64 rows;
      required binary schema;
      repeated group columns {
        required int32 leaf;
        optional binary why_not (STRING);
      }
    }""")

  /**
   * Writes the table.
   *
   * @throws java.io.IOException if it cannot be written
   */
  def write(entries: Iterator[FileEntry], path: Path, conf: Configuration): StoredTable = {
    val groups = new SimpleGroupFactory(Schema)
    StoredTable.write(entries.map(group(_, groups)), Schema, path, conf)
  }

  /**
   * Passes the entries to `use` in the order in which they were written.
   *
   * @param folder the folder of the segment
   * @throws java.io.IOException if the table cannot be read or is damaged
   */
  def read(table: StoredTable, folder: Path, conf: Configuration)(use: FileEntry => Unit): Unit =
    table.read(folder, conf)(row => use(entry(row)))

  private def group(entry: FileEntry, groups: SimpleGroupFactory): Group = {
    val row = groups
      .newGroup()
      .append("path", entry.path)
      .append("length", entry.length)
      .append("modification_time", entry.modificationTime)
      .append("read_at", entry.readAt)
      .append("first_row_group", entry.firstRowGroup)
      .append("row_groups", entry.rowGroups)
      .append("rows", entry.rows)
      .append("schema", Binary.fromConstantByteArray(entry.schema))
    entry.etag.foreach(row.append("etag", _))
    entry.columns.foreach { column =>
      val nested = row.addGroup("columns").append("leaf", column.leaf)
      column.whyNot.foreach(nested.append("why_not", _))
    }
    row
  }

  private def entry(row: Group): FileEntry = {
    def text(in: Group, field: String): Option[String] =
      if (in.getFieldRepetitionCount(field) == 0) None else Some(in.getString(field, 0))
    FileEntry(
      text(row, "path").get,
      row.getLong("length", 0),
      row.getLong("modification_time", 0),
      text(row, "etag"),
      row.getLong("read_at", 0),
      row.getInteger("first_row_group", 0),
      row.getInteger("row_groups", 0),
      row.getLong("rows", 0),
      row.getBinary("schema", 0).getBytes,
      (0 until row.getFieldRepetitionCount("columns")).map { i =>
        val column = row.getGroup("columns", i)
        FileEntry.Coverage(column.getInteger("leaf", 0), text(column, "why_not"))
      }
    )
  }
}

/**
 * A file of a segment: a row of its table of files.
 *
 * @param path the path below the table's folder, or the whole path of a file outside of it
 * @param length in bytes
 * @param modificationTime milliseconds since 1970
 * @param etag of stores that report one in listings
 * @param readAt when it was read, in milliseconds since 1970
 * @param firstRowGroup the number of its first row group in the segment
 * @param rowGroups the number of its row groups
 * @param schema the packed form of its schema; see [[io.sbbf.parquet.hashes.StoredSchema]]
 * @param columns the segment's columns, in their order
 */
private[sbbf] final case class FileEntry(
    path: String,
    length: Long,
    modificationTime: Long,
    etag: Option[String],
    readAt: Long,
    firstRowGroup: Int,
    rowGroups: Int,
    rows: Long,
    schema: Array[Byte],
    columns: Seq[FileEntry.Coverage])

private[sbbf] object FileEntry {

  /**
   * An indexed column in a file.
   *
   * @param leaf the number of the column among the leaves of the file's schema, -1 if it has none
   * @param whyNot the reason why the segment has no keys of it; None if it has those of all values
   */
  final case class Coverage(leaf: Int, whyNot: Option[String])
}
