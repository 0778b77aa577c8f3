package io.sbbf.spark.table

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{EtagSource, FileStatus}
import org.apache.spark.TaskContext

import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.model.FileVersion

/**
 * Sends files to tasks, which open them.
 *
 * @param ofTable the store of the files' table; None if Hadoop opens the files
 */
private[spark] final class TaskFiles private (ofTable: Option[FileStore with Serializable])
    extends Serializable {

  /** Returns the file without what Hadoop's stores add to a status, which may not be serializable. */
  def serializable(file: FileStatus): FileStatus =
    if (ofTable.isDefined) file
    else new TaskFiles.ListedStatus(FileVersion.of(file))

  /** Returns the store that opens the files in a task, which closes it in the end. */
  def store(conf: Configuration): FileStore = {
    val store = ofTable.getOrElse(FileStore.hadoop(conf))
    TaskContext.get().addTaskCompletionListener[Unit](_ => store.close())
    store
  }
}

private[spark] object TaskFiles {

  /** Files that Hadoop opens. */
  val OfHadoop: TaskFiles = new TaskFiles(None)

  /** Files that the store of their table opens. */
  def of(store: FileStore with Serializable): TaskFiles = new TaskFiles(Some(store))

  /** The status of a file with what identifies its version, for tasks. */
  private final class ListedStatus(version: FileVersion)
      extends FileStatus(version.length, false, 1, 0, version.modificationTime, version.path)
      with EtagSource {
    override def getEtag: String = version.etag.orNull
  }
}
