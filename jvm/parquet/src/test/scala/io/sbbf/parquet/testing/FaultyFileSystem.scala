package io.sbbf.parquet.testing

import java.io.{File, IOException, InterruptedIOException, OutputStream}
import java.net.URI
import java.nio.file.{Files, Path => JPath, StandardCopyOption}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.security.AccessControlException
import org.apache.hadoop.util.Progressable

/**
 * The local disk under any scheme, with [[Faults]].
 *
 * @param own the faults of this instance; without them, it has those of [[Faults.during]]
 */
class FaultyFileSystem(own: Option[Faults]) extends RawLocalFileSystem {
  def this() = this(None)

  private var name: URI = _
  protected def now: Faults = own.getOrElse(Faults.current)

  /** Whether a file appears when it is complete, and is never renamed. */
  protected def isStore: Boolean = false

  override def getUri: URI = if (name == null) super.getUri else name
  override def getScheme: String = getUri.getScheme
  override def initialize(uri: URI, conf: Configuration): Unit = {
    name = URI.create(s"${uri.getScheme}:///")
    super.initialize(name, conf)
  }

  override def hasPathCapability(path: Path, capability: String): Boolean =
    isStore && capability == CommonPathCapabilities.ABORTABLE_STREAM ||
      super.hasPathCapability(path, capability)

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    if (now.refuses(path)) throw new AccessControlException(s"no access to $path")
    if (now.isCancelled) throw new InterruptedIOException("cancelled")
    now.opens.incrementAndGet()
    new FSDataInputStream(new Input(super.open(path, bufferSize)))
  }

  override def create(
      file: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream =
    create(file, null, overwrite, bufferSize, replication, blockSize, progress)

  override def create(
      file: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    now.step("create")
    now.rights = permission
    if (isStore) {
      val upload = TestFiles.fresh()
      new FSDataOutputStream(new Upload(upload, file), null)
    } else {
      val disk =
        super.create(file, permission, overwrite, bufferSize, replication, blockSize, progress)
      new FSDataOutputStream(new Output(disk), null)
    }
  }

  /**
   * Resolves a name on the disk, which is a step for temporary files and checksums: forcing them,
   * replacing a file, and deleting checksums need their names.
   */
  override def pathToFile(path: Path): File = {
    if (path.getName.endsWith(".sbbf-tmp")) now.step("temporary")
    if (path.getName.endsWith(".crc")) now.step("checksums")
    super.pathToFile(path)
  }

  override def getFileStatus(file: Path): FileStatus = {
    now.step("status")
    super.getFileStatus(file)
  }

  override def setTimes(file: Path, modified: Long, accessed: Long): Unit = {
    now.step("times")
    super.setTimes(file, modified, accessed)
  }

  override def setPermission(file: Path, permission: FsPermission): Unit = {
    now.step("permission")
    super.setPermission(file, permission)
  }

  override def delete(file: Path, recursive: Boolean): Boolean = {
    now.step("delete")
    super.delete(file, recursive)
  }

  override def rename(from: Path, to: Path): Boolean =
    if (isStore) throw new IOException("renamed") else super.rename(from, to)

  private final class Input(disk: FSDataInputStream) extends FSInputStream {
    private val faults = now

    private def few(length: Int): Int = math.min(length, faults.bytesPerRead)
    private def seekable: FSDataInputStream =
      if (faults.refusesSeeks) throw new UnsupportedOperationException("positional reads only")
      else disk

    override def read(): Int = seekable.read()
    override def read(buffer: Array[Byte], offset: Int, length: Int): Int =
      seekable.read(buffer, offset, few(length))
    override def read(position: Long, buffer: Array[Byte], offset: Int, length: Int): Int = {
      if (faults.isDown) throw new IOException("the store is not available")
      disk.read(position, buffer, offset, few(length))
    }
    override def readFully(
        position: Long,
        buffer: Array[Byte],
        offset: Int,
        length: Int): Unit = {
      faults.reads.incrementAndGet()
      super.readFully(position, buffer, offset, length)
    }
    override def seek(position: Long): Unit = seekable.seek(position)
    override def getPos: Long = disk.getPos
    override def seekToNewSource(target: Long): Boolean = false
    override def close(): Unit = disk.close()
  }

  /** A stream whose operations are steps. */
  private class Output(protected val disk: FSDataOutputStream)
      extends OutputStream
      with Syncable {
    protected val faults: Faults = now
    private var isOpen = true
    private var left = faults.maxBytes
    faults.streams.incrementAndGet()

    override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)
    override def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
      left -= length
      if (left < 0) throw new IOException("No space left on device")
      disk.write(bytes, from, length / 2)
      faults.step("write")
      disk.write(bytes, from + length / 2, length - length / 2)
    }
    override def hflush(): Unit = disk.hflush()
    override def hsync(): Unit = { faults.step("hsync"); disk.hsync() }

    override def close(): Unit = if (end()) {
      complete()
      if (faults.failuresToClose.getAndDecrement() > 0)
        throw new IOException("the store did not take the file")
    }

    /** Ends the stream. Returns whether it was open. */
    protected def end(): Boolean = {
      val wasOpen = isOpen
      isOpen = false
      if (wasOpen) faults.streams.decrementAndGet()
      wasOpen
    }

    protected def complete(): Unit = {
      disk.close()
      faults.step("close")
    }
  }

  /** A stream to a temporary file, which becomes the file if it is not aborted. */
  private final class Upload(upload: JPath, file: Path)
      extends Output(new FSDataOutputStream(Files.newOutputStream(upload), null))
      with Abortable {

    override protected def complete(): Unit = {
      faults.step("put")
      disk.close()
      Files.move(upload, pathToFile(file).toPath, StandardCopyOption.REPLACE_EXISTING)
      faults.step("answer")
    }

    override def abort(): Abortable.AbortableResult = {
      if (end()) {
        disk.close()
        Files.delete(upload)
        faults.aborted.incrementAndGet()
      }
      null
    }
  }
}

/** Behaves as an object store. */
final class FaultyObjectStore extends FaultyFileSystem {
  override protected def isStore: Boolean = true
}

/** The local disk with faults, and with checksums next to the files. */
final class FaultyLocalFileSystem extends LocalFileSystem(new FaultyFileSystem)
