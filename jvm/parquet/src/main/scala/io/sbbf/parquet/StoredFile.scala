package io.sbbf.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile

/** A Parquet file without encryption, as it was listed, for what reads its values. */
private[parquet] final class StoredFile(val file: FileStatus, val conf: Configuration) {
  import StoredFile._

  val store: FileSystem = file.getPath.getFileSystem(conf)

  /**
   * The footer's thrift as it is stored.
   *
   * @throws UnusableFile when there is none, or it is encrypted
   * @throws java.io.IOException when it cannot be read
   */
  def footer(): Array[Byte] = {
    val bytes = open()
    try {
      val found = FooterReader.locate(bytes)
      if (found.isEncrypted) throw new UnusableFile("encrypted")
      bytes.read(found.start, found.length)
    } finally bytes.close()
  }

  /** The same, parsed; also throws [[UnusableFile]] where columns are encrypted. */
  def metadata(): FileMetaData = {
    val metadata = FooterReader.parse(footer())
    if (metadata.isSetEncryption_algorithm) throw new UnusableFile("encrypted")
    metadata
  }

  /** Its bytes, to be closed. */
  def open(): FileBytes = new FileBytes(store, file.getPath, file.getLen, TailBytes)

  /** Reads with parquet-mr. */
  def reading[T](ask: ParquetFileReader => T): T = {
    val options = HadoopReadOptions
      .builder(conf, file.getPath)
      .withMetadataFilter(ParquetMetadataConverter.NO_FILTER)
      .build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromStatus(file, conf), options)
    try ask(reader)
    finally reader.close()
  }
}

private object StoredFile {
  private final val TailBytes = 64 * 1024
}
