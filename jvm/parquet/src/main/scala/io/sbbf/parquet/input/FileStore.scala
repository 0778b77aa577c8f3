package io.sbbf.parquet.input

import java.io.Closeable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/** Opens the files of a table. Only the owner of a store closes it. */
private[sbbf] trait FileStore extends Closeable {

  /**
   * Returns the sources of the files, in their order. Call it in the thread of the query: stores
   * may belong to its user, and the threads that read files have none.
   */
  def sources(files: IndexedSeq[FileStatus]): IndexedSeq[ByteSource]

  /** Returns the source of one file. Call it as [[sources]]. */
  final def source(file: FileStatus): ByteSource = sources(IndexedSeq(file)).head

  /** Releases the connections that the store has opened by itself, if any. */
  override def close(): Unit = ()
}

private[sbbf] object FileStore {

  /** Returns the store that opens files by Hadoop's file systems. */
  def hadoop(conf: Configuration): FileStore = files => {
    val systems = fileSystems(files, conf)
    files.map(f => new HadoopSource(systems(f.getPath), f.getPath, f.getLen))
  }

  /** Returns Hadoop's file systems of the files. Call it as [[FileStore.sources]]. */
  def fileSystems(files: IndexedSeq[FileStatus], conf: Configuration): Path => FileSystem = {
    val systems = files
      .map(_.getPath)
      .groupBy(authority)
      .map { case (key, paths) => key -> paths.head.getFileSystem(conf) }
    path => systems(authority(path))
  }

  private def authority(path: Path): (String, String) =
    (path.toUri.getScheme, path.toUri.getAuthority)
}
