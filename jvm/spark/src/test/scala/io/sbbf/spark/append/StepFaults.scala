package io.sbbf.spark.append

import java.io.{File, IOException, OutputStream}
import java.nio.file.{Files, StandardCopyOption}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

import io.sbbf.spark.testing.DiskAs

/**
 * Counts the steps on files while filters are added. Fails one of these steps, or all steps
 * from one on.
 */
object StepFaults {
  private val left = new AtomicInteger(Int.MaxValue)
  @volatile private var isDeath = false
  private val taken = ConcurrentHashMap.newKeySet[String]()

  /** The `n`-th step from now on fails, once. */
  def failAt(n: Int): Unit = begin(n, isDeath = false)

  /** The `n`-th step from now on fails and so do all after it, as if the process died. */
  def dieAt(n: Int): Unit = begin(n, isDeath = true)

  /** No step fails. */
  def end(): Unit = begin(Int.MaxValue, isDeath = false)

  private def begin(n: Int, isDeath: Boolean): Unit = {
    this.isDeath = isDeath
    taken.clear()
    left.set(n)
  }

  /** Whether that step has been reached. */
  def happened: Boolean = left.get <= 0

  /** The names of the steps since then. */
  def steps: Set[String] = taken.asScala.toSet

  /** The permissions with which a file was created last. */
  @volatile var rights: FsPermission = _

  /** Runs at each step, on its thread. */
  @volatile var besides: String => Unit = (_: String) => ()

  def step(what: String): Unit = {
    besides(what)
    taken.add(what)
    val before = left.decrementAndGet()
    if (before == 0 || before < 0 && isDeath) throw new IOException(s"fault at $what")
  }

  /** A stream whose operations are steps that may fail. */
  class Stream(disk: FSDataOutputStream) extends OutputStream with Syncable {
    override def write(byte: Int): Unit = { step("write"); disk.write(byte) }
    override def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
      disk.write(bytes, from, length / 2)
      step("write")
      disk.write(bytes, from + length / 2, length - length / 2)
    }
    override def hflush(): Unit = disk.hflush()
    override def hsync(): Unit = { step("hsync"); disk.hsync() }
    override def close(): Unit = { disk.close(); step("close") }
  }
}

/** The local disk with faults, and with checksums next to the files. */
final class SteppedLocalFileSystem extends LocalFileSystem(new SteppedDisk)

final class SteppedDisk extends RawLocalFileSystem {
  override def create(
      file: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    StepFaults.step("create")
    StepFaults.rights = permission
    new FSDataOutputStream(
      new StepFaults.Stream(
        super
          .create(file, permission, overwrite, bufferSize, replication, blockSize, progress)),
      null)
  }

  /**
   * Resolves a name on the disk, which is a step for temporary files and checksums: forcing them,
   * replacing a file, and deleting checksums need their names.
   */
  override def pathToFile(path: Path): File = {
    if (path.getName.endsWith(".sbbf-tmp")) StepFaults.step("temporary")
    if (path.getName.endsWith(".crc")) StepFaults.step("checksums")
    super.pathToFile(path)
  }

  override def getFileStatus(file: Path): FileStatus = {
    StepFaults.step("status")
    super.getFileStatus(file)
  }

  override def setTimes(file: Path, modified: Long, accessed: Long): Unit = {
    StepFaults.step("times")
    super.setTimes(file, modified, accessed)
  }

  override def setPermission(file: Path, permission: FsPermission): Unit = {
    StepFaults.step("permission")
    super.setPermission(file, permission)
  }

  override def delete(file: Path, recursive: Boolean): Boolean = {
    StepFaults.step("delete")
    super.delete(file, recursive)
  }
}

/** Behaves as an object store: an object appears when it is complete, and is never renamed. */
final class SteppedObjectStore extends DiskAs("s3a") {
  override def rename(from: Path, to: Path): Boolean = throw new IOException("renamed")

  override def hasPathCapability(path: Path, capability: String): Boolean =
    capability == CommonPathCapabilities.ABORTABLE_STREAM || super.hasPathCapability(
      path,
      capability)

  override def create(
      file: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    StepFaults.step("create")
    val upload = File.createTempFile("upload", null).toPath
    val local = new FSDataOutputStream(Files.newOutputStream(upload), null)
    val stream = new StepFaults.Stream(local) with Abortable {
      override def abort(): Abortable.AbortableResult = {
        local.close()
        Files.delete(upload)
        null
      }
      override def close(): Unit = {
        StepFaults.step("put")
        local.close()
        Files.move(upload, pathToFile(file).toPath, StandardCopyOption.REPLACE_EXISTING)
        StepFaults.step("answer")
      }
    }
    new FSDataOutputStream(stream, null)
  }

  override def getFileStatus(file: Path): FileStatus = {
    StepFaults.step("status")
    super.getFileStatus(file)
  }
}
