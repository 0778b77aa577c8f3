package io.sbbf.parquet.footer

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile

import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.model.UnusableFile

/** A Parquet file without encryption, as it was listed, for what reads its values. */
private[parquet] final class StoredFile(file: FileStatus, conf: Configuration) {
  import StoredFile._

  val store: FileSystem = file.getPath.getFileSystem(conf)

  /**
   * The footer.
   *
   * @throws UnusableFile when there is none, or anything is encrypted
   * @throws java.io.IOException when it cannot be read
   */
  def metadata(): LocatedMetadata = {
    val bytes = open()
    try {
      val found = FooterReader.locate(bytes)
      if (found.isEncrypted) throw new UnusableFile("encrypted")
      val thrift = bytes.read(found.start, found.length)
      val metadata = FooterReader.parse(thrift)
      if (metadata.isSetEncryption_algorithm) throw new UnusableFile("encrypted")
      LocatedMetadata(found.start, thrift, metadata)
    } finally bytes.close()
  }

  /** Its bytes, to be closed. */
  def open(): FileBytes = new FileBytes(store, file.getPath, file.getLen, TailBytes)

  /** Reads with parquet-mr, all row groups whatever predicate the settings have for other readers. */
  def reading[T](ask: ParquetFileReader => T): T = {
    val options = HadoopReadOptions
      .builder(conf, file.getPath)
      .withMetadataFilter(ParquetMetadataConverter.NO_FILTER)
      .withRecordFilter(FilterCompat.NOOP)
      .build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromStatus(file, conf), options)
    try ask(reader)
    finally reader.close()
  }
}

private object StoredFile {
  private final val TailBytes = 64 * 1024
}
