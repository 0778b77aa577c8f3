package io.sbbf.parquet.testing

import java.io.BufferedOutputStream

import scala.annotation.nowarn

import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream, FileStatus, Path}
import org.apache.hadoop.util.Progressable

/**
 * A [[FaultyFileSystem]] whose searches for folders, listings, opens and renames are steps as well,
 * named after the file or folder. Writes are buffered, so that they are few steps.
 */
final class SteppedFileSystem extends FaultyFileSystem {
  override def create(
      file: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream =
    new FSDataOutputStream(
      new BufferedOutputStream(
        super.create(file, permission, overwrite, bufferSize, replication, blockSize, progress)),
      null)

  override def listStatus(path: Path): Array[FileStatus] = {
    now.step(s"list ${path.getName}")
    super.listStatus(path)
  }

  @nowarn("cat=deprecation")
  override def isDirectory(path: Path): Boolean = {
    now.step(s"find ${path.getName}")
    super.isDirectory(path)
  }

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    now.step(s"open ${path.getName}")
    super.open(path, bufferSize)
  }

  override def rename(from: Path, to: Path): Boolean = {
    now.step(s"rename ${from.getName}")
    val isDone = super.rename(from, to)
    now.step(s"renamed ${from.getName}")
    isDone
  }
}
