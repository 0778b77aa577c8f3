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
 * Puts new contents in a file's place, all at once: whoever opens it reads either the old or the new ones, and
 * whatever happens in between leaves the old ones. Owner, group and permissions stay, and where files are renamed
 * the time of modification, too: those who look for new rows by it find none.
 */
private[parquet] sealed trait AtomicReplace {

  /**
   * @param beginning writes what the new contents begin with
   * @param end what follows, found meanwhile on a thread of its own: some stores want one thread to write all
   * @param check throws when the file is no longer the one whose contents were copied; asked right before the
   *   new contents take their place
   * @throws java.io.IOException when the file could not be replaced, and so was not
   */
  def write(beginning: OutputStream => Unit, end: () => Seq[Array[Byte]], check: () => Unit): Unit
}

private[parquet] object AtomicReplace {

  /**
   * The way of the file's store.
   *
   * @throws UnusableFile when it has none
   */
  def of(file: FileStatus, conf: Configuration): AtomicReplace = {
    if (file.hasAcl) throw new UnusableFile("access control list, which a new file would lose")
    file.getPath.getFileSystem(conf) match {
      case Local(disk) => new OnDisk(file, disk)
      case store: DistributedFileSystem => new OnHdfs(file, store)
      case store if isPutting(store, file.getPath) => new ObjectPut(file, store)
      case store =>
        throw new UnusableFile(
          s"no way is known to replace a file of '${store.getUri.getScheme}' at once")
    }
  }

  /** @throws UnusableFile for a file that cannot be replaced at once */
  def requireSupported(file: FileStatus, conf: Configuration): Unit = {
    of(file, conf)
    ()
  }

  /**
   * Whether a store shows a file only when all of it is there, and the one before until then. Its scheme does not
   * tell: others serve those of S3 and delete the old file first.
   */
  def isPutting(store: FileSystem, path: Path): Boolean =
    store.hasPathCapability(path, ABORTABLE_STREAM) ||
      Putting(store.getClass.getName)

  /** Those that cannot say so themselves. */
  private val Putting = Set(
    "com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem",
    "com.amazon.ws.emr.hadoop.fs.EmrFileSystem")

  /** The bytes of the local disk, with or without checksums beside them. */
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

  /** Where the file itself lies: a link stays one. */
  def resolveLink(path: Path, conf: Configuration): Path = path.getFileSystem(conf) match {
    case Local(disk) => real(path, disk)
    case _ => path
  }

  private def real(path: Path, disk: RawLocalFileSystem): Path =
    // of its text, as a URI would say names beyond ASCII in another way than listings do
    disk.makeQualified(new Path(disk.pathToFile(path).toPath.toRealPath().toString))

  /** Readers leave out what begins with a dot. */
  private def temporaryFor(path: Path): Path =
    new Path(path.getParent, s".${path.getName}.${UUID.randomUUID}$Suffix")

  /** Of files that are about to take another's place. */
  private final val Suffix = ".sbbf-attach"
  private final val UuidLength = 36

  /** Whether a file was to take another's place, and whoever wrote it may have died before. */
  def isTemporary(path: Path): Boolean = {
    val name = path.getName
    name.startsWith(".") && name.endsWith(Suffix) &&
    name.length > UuidLength + Suffix.length + 2
  }

  /** Whose place it was to take. */
  def targetOf(temporary: Path): Path = {
    val name = temporary.getName
    new Path(temporary.getParent, name.substring(1, name.length - UuidLength - Suffix.length - 1))
  }

  /** Writes the new file beside the old one, and gives it the name then. */
  private sealed abstract class ByRename(
      file: FileStatus,
      protected val path: Path,
      store: FileSystem)
      extends AtomicReplace {
    protected def takePlace(next: Path): Unit

    /** Has `work` write to a stream; what that got may be on its way to the disk meanwhile. */
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
            out.hsync() // what is on the disk already need not be waited for
          }
          pieces.foreach(piece => out.write(piece))
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
        OwnersAlone, // until it has its owner and group
        false,
        BufferBytes,
        // of an erasure-coded file it says nothing, and the new one may be none
        if (file.isErasureCoded) store.getDefaultReplication(next) else file.getReplication,
        file.getBlockSize,
        null
      )

    private def own(next: Path): Unit = {
      val made = store.getFileStatus(next)
      if (made.hasAcl) store.removeAcl(next) // the folder's default for new files
      if (made.getOwner != file.getOwner || made.getGroup != file.getGroup)
        try store.setOwner(next, file.getOwner, file.getGroup)
        catch {
          case NonFatal(e) =>
            throw new IOException(
              s"${file.getPath} belongs to ${file.getOwner}:${file.getGroup}, to whom this user cannot give a file",
              e)
        }
      store.setTimes(next, file.getModificationTime, -1)
      store.setPermission(next, file.getPermission) // without the mask of this process
    }
  }

  private final class OnDisk(file: FileStatus, disk: RawLocalFileSystem)
      extends ByRename(file, real(file.getPath, disk), disk) {

    /** By a handle of its own, as the stream's may be used by one thread only. */
    override protected def fill(
        next: Path,
        out: OutputStream)(work: OutputStream => Unit): Unit = {
      val handle = FileChannel.open(disk.pathToFile(next).toPath, StandardOpenOption.WRITE)
      try IncrementalFsync.write(out, () => handle.force(false))(work)
      finally handle.close()
    }

    /**
     * Checksums go first, beside the file and beside a link to it: those of the old bytes beside the new ones would
     * make readers fail, and a file without any is read without a check. They come back where the old file stays.
     */
    override protected def takePlace(next: Path): Unit = {
      def local(path: Path) = disk.pathToFile(path).toPath
      val aside = Seq(file.getPath, path).distinct
        .map(named => new Path(named.getParent, s".${named.getName}.crc") -> temporaryFor(named))
        .map { case (sums, temporary) => local(sums) -> local(temporary) }
        .filter { case (sums, _) => Files.exists(sums) }
      try {
        aside.foreach { case (sums, temporary) => Files.move(sums, temporary, ATOMIC_MOVE) }
        Files.move(local(next), local(path), ATOMIC_MOVE, REPLACE_EXISTING)
        ()
      } finally {
        val isOld = Files.exists(local(next))
        aside.filter { case (_, temporary) => Files.exists(temporary) }.foreach {
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

    override protected def takePlace(next: Path): Unit =
      store.rename(next, file.getPath, Rename.OVERWRITE)
  }

  private final class ObjectPut(file: FileStatus, store: FileSystem) extends AtomicReplace {
    override def write(
        beginning: OutputStream => Unit,
        end: () => Seq[Array[Byte]],
        check: () => Unit): Unit = {
      // of a stream that cannot be given up the end is made first, as there is much that may fail in it
      val made = if (store.hasPathCapability(file.getPath, ABORTABLE_STREAM)) end else ready(end)
      check()
      val out = store.create(file.getPath, true)
      try {
        Concurrently.runWithBackground(made)(beginning(out)).foreach(piece => out.write(piece))
        check()
        // a put that is interrupted may happen later all the same
        if (Thread.currentThread.isInterrupted) throw new InterruptedIOException("cancelled")
      } catch {
        case e: Throwable =>
          // to close it would put what there is of it in the file's place
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

  private val OwnersAlone = new FsPermission(FsAction.READ_WRITE, FsAction.NONE, FsAction.NONE)
}
