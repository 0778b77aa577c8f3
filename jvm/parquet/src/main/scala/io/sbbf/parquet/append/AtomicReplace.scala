package io.sbbf.parquet.append

import java.io.{IOException, InterruptedIOException, OutputStream}
import java.nio.channels.FileChannel
import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.{Files, StandardOpenOption}
import java.util.UUID

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.CommonPathCapabilities.ABORTABLE_STREAM
import org.apache.hadoop.fs.Options.Rename
import org.apache.hadoop.fs.permission.{FsAction, FsPermission}
import org.apache.hadoop.fs.{
  FSDataOutputStream,
  FileStatus,
  FileSystem,
  LocalFileSystem,
  Path,
  RawLocalFileSystem
}
import org.apache.hadoop.hdfs.DistributedFileSystem

import io.sbbf.parquet.model.UnusableFile

/**
 * Replaces the contents of a file atomically. A reader that opens the file sees either the old or
 * the new contents, and a failure leaves the old ones.
 *
 * Owner, group and permissions stay. On stores that rename files, the modification time also
 * stays, so that programs that detect new rows by it find none.
 */
private[parquet] sealed trait AtomicReplace {

  /**
   * Replaces the file.
   *
   * @param beginning writes the beginning of the new contents
   * @param end computes the rest of the new contents, usually on another thread meanwhile. It
   *   does not write them, because some stores require that one thread writes everything.
   * @param check throws if the file is no longer the one whose contents were copied. It is called
   *   right before the replacement.
   * @throws java.io.IOException if the file could not be replaced; it is unchanged then
   */
  def write(beginning: OutputStream => Unit, end: () => Seq[Array[Byte]], check: () => Unit): Unit
}

private[parquet] object AtomicReplace {

  /**
   * Returns the replacement method of the file's store.
   *
   * @throws UnusableFile if the store has none, or the file has an access control list
   */
  def of(file: FileStatus, conf: Configuration): AtomicReplace = {
    if (file.hasAcl)
      throw new UnusableFile("has an access control list, which replacing the file would remove")
    file.getPath.getFileSystem(conf) match {
      case Local(disk) => new OnDisk(file, disk)
      case store: DistributedFileSystem => new OnHdfs(file, store)
      case store if isPutting(store, file.getPath) => new ObjectPut(file, store)
      case store =>
        throw new UnusableFile(
          s"atomic replacement of files is unsupported on '${store.getUri.getScheme}'")
    }
  }

  /** @throws UnusableFile if the file cannot be replaced atomically */
  def requireSupported(file: FileStatus, conf: Configuration): Unit = {
    of(file, conf)
    ()
  }

  /**
   * Whether a store publishes a file only when it is complete, and shows the previous file until
   * then. The scheme does not decide this, because other file systems also serve S3's schemes and
   * delete the old file first.
   */
  def isPutting(store: FileSystem, path: Path): Boolean =
    store.hasPathCapability(path, ABORTABLE_STREAM) ||
      Putting(store.getClass.getName)

  /** The file systems with an atomic PUT that do not report it as a capability. */
  private val Putting = Set(
    "com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem",
    "com.amazon.ws.emr.hadoop.fs.EmrFileSystem")

  /** Matches the local disk, with or without checksum files, and extracts the raw file system. */
  private object Local {
    def unapply(store: FileSystem): Option[RawLocalFileSystem] =
      if (store.getUri.getScheme != "file") None
      else
        store match {
          case disk: RawLocalFileSystem => Some(disk)
          case checked: LocalFileSystem =>
            Some(checked.getRawFileSystem).collect { case disk: RawLocalFileSystem => disk }
          case _ => None
        }
  }

  /** Returns the path of the file itself. Replacing that file keeps a link to it. */
  def resolveLink(path: Path, conf: Configuration): Path = path.getFileSystem(conf) match {
    case Local(disk) => real(path, disk)
    case _ => path
  }

  private def real(path: Path, disk: RawLocalFileSystem): Path =
    // A path from a URI would spell non-ASCII names differently from listings.
    disk.makeQualified(new Path(disk.pathToFile(path).toPath.toRealPath().toString))

  /**
   * Returns the path of a temporary file. Its name begins with a dot, so that readers ignore it.
   */
  private def temporaryFor(path: Path): Path =
    new Path(path.getParent, s".${path.getName}.${UUID.randomUUID}$Suffix")

  /** The suffix of temporary files. */
  private final val Suffix = ".sbbf-tmp"
  private final val UuidLength = 36

  /** Whether a path is one of a temporary file, whose writer may have been killed. */
  def isTemporary(path: Path): Boolean = {
    val name = path.getName
    name.startsWith(".") && name.endsWith(Suffix) &&
    name.length > UuidLength + Suffix.length + 2
  }

  /** Returns the path of the file that a temporary file was to replace. */
  def targetOf(temporary: Path): Path = {
    val name = temporary.getName
    new Path(temporary.getParent, name.substring(1, name.length - UuidLength - Suffix.length - 1))
  }

  /** Writes the new file next to the old one, and then renames it. */
  private sealed abstract class ByRename(
      file: FileStatus,
      protected val path: Path,
      store: FileSystem)
      extends AtomicReplace {
    protected def replaceBy(next: Path): Unit

    /** Lets `work` write to `out`. The written bytes may be flushed to the disk meanwhile. */
    protected def fill(next: Path, out: OutputStream)(work: OutputStream => Unit): Unit

    override final def write(
        beginning: OutputStream => Unit,
        end: () => Seq[Array[Byte]],
        check: () => Unit): Unit = {
      val next = temporaryFor(path)
      try {
        val out = create(next)
        try {
          val pieces = Concurrently.runWithBackground(end) {
            fill(next, out)(beginning)
            out.hsync() // flushes now, so that the second hsync waits only for the rest
          }
          pieces.foreach(piece => out.write(piece))
          out.hsync() // or a crash of the machine may leave the new name without the new bytes
        } finally out.close()
        own(next)
        check()
        replaceBy(next)
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
        OwnerOnly, // until it has its owner and group
        false,
        BufferBytes,
        // an erasure-coded file reports no replication, and the new file may not be erasure-coded
        if (file.isErasureCoded) store.getDefaultReplication(next) else file.getReplication,
        file.getBlockSize,
        null
      )

    private def own(next: Path): Unit = {
      val made = store.getFileStatus(next)
      if (made.hasAcl) store.removeAcl(next) // inherited from the folder's default
      if (made.getOwner != file.getOwner || made.getGroup != file.getGroup)
        try store.setOwner(next, file.getOwner, file.getGroup)
        catch {
          case NonFatal(e) =>
            throw new IOException(
              s"cannot replace ${file.getPath}: this user cannot give files to its owner " +
                s"${file.getOwner}:${file.getGroup}, so run as that user",
              e)
        }
      store.setTimes(next, file.getModificationTime, -1)
      store.setPermission(next, file.getPermission) // ignores the umask of this process
    }
  }

  private final class OnDisk(file: FileStatus, disk: RawLocalFileSystem)
      extends ByRename(file, real(file.getPath, disk), disk) {

    /** Flushes through a second handle, because only one thread may use that of the stream. */
    override protected def fill(
        next: Path,
        out: OutputStream)(work: OutputStream => Unit): Unit = {
      val handle = FileChannel.open(disk.pathToFile(next).toPath, StandardOpenOption.WRITE)
      try IncrementalFsync.write(out, () => handle.force(false))(work)
      finally handle.close()
    }

    /**
     * First moves away the checksum files next to the file and next to a link to it. Old
     * checksums would make readers of the new bytes fail, and a file without checksums is read
     * without a check. If the old file stays, its checksums are moved back.
     */
    override protected def replaceBy(next: Path): Unit = {
      def local(path: Path) = disk.pathToFile(path).toPath
      val checksums = Seq(file.getPath, path).distinct
        .map(named => new Path(named.getParent, s".${named.getName}.crc") -> temporaryFor(named))
        .map { case (sums, temporary) => local(sums) -> local(temporary) }
        .filter { case (sums, _) => Files.exists(sums) }
      try {
        checksums.foreach { case (sums, temporary) => Files.move(sums, temporary, ATOMIC_MOVE) }
        Files.move(local(next), local(path), ATOMIC_MOVE, REPLACE_EXISTING)
        ()
      } finally {
        val isOld = Files.exists(local(next))
        checksums.filter { case (_, temporary) => Files.exists(temporary) }.foreach {
          case (sums, temporary) =>
            if (isOld) Files.move(temporary, sums, ATOMIC_MOVE) else Files.delete(temporary)
        }
      }
    }
  }

  private final class OnHdfs(file: FileStatus, store: DistributedFileSystem)
      extends ByRename(file, file.getPath, store) {
    override protected def fill(next: Path, out: OutputStream)(work: OutputStream => Unit): Unit =
      work(out)

    override protected def replaceBy(next: Path): Unit =
      store.rename(next, file.getPath, Rename.OVERWRITE)
  }

  private final class ObjectPut(file: FileStatus, store: FileSystem) extends AtomicReplace {
    override def write(
        beginning: OutputStream => Unit,
        end: () => Seq[Array[Byte]],
        check: () => Unit): Unit = {
      // A stream that cannot be aborted needs the end first, because computing the end may fail.
      val made = if (store.hasPathCapability(file.getPath, ABORTABLE_STREAM)) end else ready(end)
      check()
      val out = store.create(file.getPath, true)
      try {
        Concurrently.runWithBackground(made)(beginning(out)).foreach(piece => out.write(piece))
        check()
        // an interrupted PUT may still be completed later
        if (Thread.currentThread.isInterrupted) throw new InterruptedIOException("cancelled")
      } catch {
        case e: Throwable =>
          // closing the stream would replace the file by an incomplete one
          try out.abort()
          catch { case NonFatal(also) => e.addSuppressed(also) }
          throw e
      }
      out.close()
    }

    private def ready(end: () => Seq[Array[Byte]]): () => Seq[Array[Byte]] = {
      val pieces = end()
      () => pieces
    }
  }

  private final val BufferBytes = 64 * 1024

  private val OwnerOnly = new FsPermission(FsAction.READ_WRITE, FsAction.NONE, FsAction.NONE)
}
