package io.sbbf.index.format

import java.io.{FileNotFoundException, IOException, InputStream}

import scala.annotation.nowarn

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, ParentNotDirectoryException, Path}

/**
 * The folder of a table's index, with a folder for each segment. Nothing in it is ever overwritten,
 * so writers need no lock.
 *
 * @param path the folder, which need not exist
 */
private[sbbf] final class IndexFolder(val path: Path, conf: Configuration) {
  import IndexFolder._

  private def store: FileSystem = path.getFileSystem(conf)

  /** Returns the folder of a segment. */
  def segment(id: String): Path = new Path(path, id)

  /**
   * Returns the folders of all segments, whether they are complete or not. It takes one request if
   * the folder is there as expected.
   *
   * @param isExpected whether the folder was there before. Object stores need three requests to
   *   list a folder that is not there, and one to find that out.
   * @throws java.io.IOException if the store cannot be reached
   */
  def segments(isExpected: Boolean = false): Seq[FileStatus] =
    try
      if (!isExpected && !isThere) Nil
      else store.listStatus(path).toSeq.filter(s => s.isDirectory && !isHidden(s))
    catch {
      case _: FileNotFoundException => Nil
      case _: ParentNotDirectoryException => Nil // a file that a scan names
    }

  /** Hadoop's newer methods need two requests in an object store. */
  @nowarn("cat=deprecation")
  private def isThere: Boolean = store.isDirectory(path)

  /**
   * Returns the manifest of a segment; None if it is not complete, or no longer there.
   *
   * @throws java.io.IOException if it cannot be read, is damaged, or is that of another segment
   */
  def manifest(id: String): Option[SegmentManifest] = {
    val file = new Path(segment(id), SegmentManifest.FileName)
    try {
      val in = store.open(file)
      try {
        val found = SegmentManifest.of(readAll(in))
        if (found.id != id) throw new DamagedIndex(s"it is a copy of segment ${found.id}")
        Some(found)
      } finally in.close()
    } catch {
      case _: FileNotFoundException => None
      case e: DamagedIndex => throw e.in(file)
    }
  }

  /**
   * Makes a segment complete: other readers see all of it from now on, or nothing.
   *
   * @throws java.io.IOException if the manifest cannot be written; the segment stays incomplete
   */
  def commit(manifest: SegmentManifest): Unit = {
    val folder = segment(manifest.id)
    val (whole, begun) =
      (new Path(folder, SegmentManifest.FileName), new Path(folder, Begun))
    val out = store.create(begun, false)
    try out.write(manifest.toJson)
    finally out.close()
    if (!store.rename(begun, whole)) throw new IOException(s"$whole could not be written")
  }

  /** Deletes a segment. Its manifest goes first, so that no reader opens what is left. */
  def delete(id: String): Unit = {
    store.delete(new Path(segment(id), SegmentManifest.FileName), false)
    store.delete(segment(id), true)
    ()
  }

  /** Deletes the whole folder. */
  def drop(): Unit = {
    segments().foreach(s => delete(s.getPath.getName))
    store.delete(path, true)
    ()
  }
}

private[sbbf] object IndexFolder {

  /** The folder within that of the table. Spark and the lake formats ignore names like this. */
  final val Name = "_sbbf"

  /** The manifest while it is written. */
  private final val Begun = "_begun.json"

  /** Limits what is read as a manifest. */
  private final val MostBytes = 64 * 1024 * 1024

  private def isHidden(status: FileStatus): Boolean = {
    val name = status.getPath.getName
    name.startsWith("_") || name.startsWith(".")
  }

  private def readAll(in: InputStream): Array[Byte] = {
    val bytes = in.readNBytes(MostBytes + 1)
    if (bytes.length > MostBytes) throw new DamagedIndex("it is too large")
    bytes
  }
}
