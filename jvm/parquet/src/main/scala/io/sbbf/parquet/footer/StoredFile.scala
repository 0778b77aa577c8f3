package io.sbbf.parquet.footer

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.filter2.compat.FilterCompat
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.hadoop.ParquetFileReader

import io.sbbf.parquet.input.{FileBytes, FileStore}
import io.sbbf.parquet.model.{FileVersion, UnusableFile}

/**
 * Opens an unencrypted Parquet file to read its values.
 *
 * @param file the file as listed
 * @param store the store that opens the file
 */
private[parquet] final class StoredFile(file: FileStatus, conf: Configuration, store: FileStore) {

  /** A file that Hadoop opens. */
  def this(file: FileStatus, conf: Configuration) = this(file, conf, FileStore.hadoop(conf))

  /** Hadoop's file system of the file. */
  lazy val fileSystem: FileSystem = file.getPath.getFileSystem(conf)

  private lazy val source = store.source(file)

  /**
   * Returns the footer.
   *
   * @throws UnusableFile if the file has no valid footer, or any part of it is encrypted
   * @throws java.io.IOException if the file cannot be read
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

  /** Returns the bytes of the file. The caller closes them. */
  def open(): FileBytes = new FileBytes(source, file.getPath, file.getLen)

  /**
   * Fails if the file is no longer the listed version.
   *
   * @throws java.io.IOException if it was replaced, or its store cannot be reached
   */
  def checkVersion(): Unit = {
    val now = FileVersion.of(fileSystem.getFileStatus(file.getPath))
    if (!now.isSameAs(FileVersion.of(file)))
      throw new IOException(s"${file.getPath} was replaced after its listing")
  }

  /** Reads with a reader of [[openReader]], which it closes. */
  def reading[T](use: ParquetFileReader => T): T = {
    val reader = openReader()
    try use(reader)
    finally reader.close()
  }

  /**
   * Opens parquet-mr's reader, which sees all row groups: predicates in the configuration are
   * ignored. The caller closes it.
   */
  def openReader(): ParquetFileReader = {
    val options = HadoopReadOptions
      .builder(conf, file.getPath)
      .withMetadataFilter(ParquetMetadataConverter.NO_FILTER)
      .withRecordFilter(FilterCompat.NOOP)
      .build()
    ParquetFileReader.open(source.inputFile(file), options)
  }
}

/**
 * Holds the metadata of a file and its position.
 *
 * @param start the offset of the metadata in the file
 * @param thrift the metadata as stored
 * @param metadata the metadata after parsing
 */
private[parquet] final case class LocatedMetadata(
    start: Long,
    thrift: Array[Byte],
    metadata: FileMetaData)
