package io.sbbf.index.format

import java.util.{Collections, Map => JMap}

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.ParquetReader
import org.apache.parquet.hadoop.api.ReadSupport
import org.apache.parquet.hadoop.example.{ExampleParquetWriter, GroupReadSupport}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.schema.MessageType

/**
 * A small table of a segment: that of its files, or that of the zones of a column.
 *
 * @param rows the number of its rows
 * @param checksum the CRC-32 of the file
 */
private[sbbf] final case class StoredTable(name: String, bytes: Long, rows: Int, checksum: Long) {

  /**
   * Passes the rows to `use` in the order in which they were written.
   *
   * @param folder the folder of the segment
   * @throws java.io.IOException if the table cannot be read or is damaged
   */
  def read(folder: Path, conf: Configuration)(use: Group => Unit): Unit = {
    val path = new Path(folder, name)
    val file = CheckedFile.read(path, bytes, 0, checksum, conf)
    try {
      val reader = new ParquetReader.Builder[Group](file) {
        override protected def getReadSupport: ReadSupport[Group] = new GroupReadSupport
      }.build()
      try Iterator.continually(reader.read()).takeWhile(_ != null).foreach(use)
      finally reader.close()
    } catch {
      case e: DamagedIndex => throw e
      case NonFatal(e) => throw new DamagedIndex(s"$path is no table of an index", e)
    }
  }
}

private[sbbf] object StoredTable {

  /**
   * Writes a table.
   *
   * @param properties entries of the key-value metadata
   * @throws java.io.IOException if it cannot be written
   */
  def write(
      rows: Iterator[Group],
      schema: MessageType,
      path: Path,
      conf: Configuration,
      properties: JMap[String, String] = Collections.emptyMap[String, String]): StoredTable = {
    val file = new CheckedFile.Output(path, conf)
    var count = 0
    file.closing {
      val writer = ExampleParquetWriter
        .builder(file)
        .withConf(new Configuration(false)) // that of a session may encrypt
        .withType(schema)
        .withCompressionCodec(CompressionCodecName.ZSTD)
        .withExtraMetaData(properties)
        .build()
      try
        rows.foreach { row =>
          writer.write(row)
          count += 1
        }
      finally writer.close()
    }
    StoredTable(path.getName, file.length, count, file.checksum)
  }
}
