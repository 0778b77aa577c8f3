package io.sbbf.parquet
package attach

import java.io.{IOException, OutputStream}
import java.nio.file.{Files, StandardCopyOption}
import java.util.UUID

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Options.Rename
import org.apache.hadoop.fs.{
  ChecksumFileSystem,
  FSDataOutputStream,
  FileContext,
  FileStatus,
  FileSystem,
  Path,
  RawLocalFileSystem
}

/**
 * Puts new contents in a file's place, all at once: whoever opens it reads either the old or the new ones, and
 * whatever happens in between leaves the old ones. Owner, group and permissions stay.
 */
private[attach] sealed trait Replacement {

  /**
   * @param check throws when the file is no longer the one whose contents were copied; asked right before the
   *   new contents take their place
   * @throws java.io.IOException when the file could not be replaced, and so was not
   */
  def write(contents: OutputStream => Unit, check: () => Unit): Unit
}

private[attach] object Replacement {

  /**
   * The way of the file's store.
   *
   * @throws UnusableFile when it has none
   */
  def of(file: FileStatus, conf: Configuration): Replacement = {
    val store = file.getPath.getFileSystem(conf)
    val scheme = store.getUri.getScheme
    if (Renaming(scheme)) store match {
      case checked: ChecksumFileSystem =>
        new ByRename(file, checked.getRawFileSystem, Some(checked), conf)
      case _ => new ByRename(file, store, None, conf)
    }
    else if (Putting(scheme)) new ByPut(file, store)
    else throw new UnusableFile(s"no way is known to replace a file of '$scheme' at once")
  }

  /** Stores whose rename takes the place of a file in one step. */
  private val Renaming = Set("file", "hdfs", "viewfs")

  /** Stores that show a file only when all of it is there, and the one before until then. */
  private val Putting = Set("s3a", "s3", "gs")

  /** Readers leave out what begins with a dot. */
  private def besides(path: Path): Path =
    new Path(path.getParent, s".${path.getName}.${UUID.randomUUID}$Suffix")

  /** Of files that are about to take another's place. */
  private final val Suffix = ".sbbf-attach"

  /** Whether a file was to take another's place, and whoever wrote it may have died before. */
  def isLeftOver(path: Path): Boolean =
    path.getName.startsWith(".") && path.getName.endsWith(Suffix)

  /**
   * @param store that of the bytes, without checksums beside it
   * @param checked which keeps checksums beside the bytes
   */
  private final class ByRename(
      file: FileStatus,
      store: FileSystem,
      checked: Option[ChecksumFileSystem],
      conf: Configuration)
      extends Replacement {
    private val local = Some(store).collect { case raw: RawLocalFileSystem => raw }

    // a link stays one
    private val path = local.fold(file.getPath) { raw =>
      raw.makeQualified(new Path(raw.pathToFile(file.getPath).toPath.toRealPath().toUri))
    }

    override def write(contents: OutputStream => Unit, check: () => Unit): Unit = {
      val next = besides(path)
      try {
        val out = create(next)
        try {
          contents(out)
          out.hsync() // or a crash of the machine may leave the new name and not the new bytes
        } finally out.close()
        own(next)
        check()
        takePlace(next)
      } catch {
        case e: Throwable =>
          try store.delete(next, false)
          catch { case NonFatal(also) => e.addSuppressed(also) }
          throw e
      }
    }

    private def create(next: Path): FSDataOutputStream =
      store.create(
        next,
        file.getPermission,
        false,
        BufferBytes,
        file.getReplication,
        file.getBlockSize,
        null)

    private def own(next: Path): Unit = {
      store.setPermission(next, file.getPermission) // without the mask of this process
      val made = store.getFileStatus(next)
      if (made.getOwner != file.getOwner || made.getGroup != file.getGroup)
        try store.setOwner(next, file.getOwner, file.getGroup)
        catch {
          case NonFatal(e) =>
            throw new IOException(
              s"${file.getPath} belongs to ${file.getOwner}:${file.getGroup}, to whom this user cannot give a file",
              e)
        }
    }

    /**
     * Checksums go first: those of the old bytes beside the new ones would make readers fail, and a file without
     * any is read without a check.
     */
    private def takePlace(next: Path): Unit = {
      checked.foreach(sums => store.delete(sums.getChecksumFile(path), false))
      local match {
        case Some(raw) =>
          Files.move(
            raw.pathToFile(next).toPath,
            raw.pathToFile(path).toPath,
            StandardCopyOption.ATOMIC_MOVE,
            StandardCopyOption.REPLACE_EXISTING)
          ()
        case None =>
          FileContext.getFileContext(path.toUri, conf).rename(next, path, Rename.OVERWRITE)
      }
    }
  }

  private final class ByPut(file: FileStatus, store: FileSystem) extends Replacement {
    override def write(contents: OutputStream => Unit, check: () => Unit): Unit = {
      val out = store.create(file.getPath, true)
      try {
        contents(out)
        check()
      } catch {
        case e: Throwable =>
          // to close it would put what there is of it in the file's place
          try out.abort()
          catch { case NonFatal(also) => e.addSuppressed(also) }
          throw e
      }
      out.close()
    }
  }

  private final val BufferBytes = 64 * 1024
}
