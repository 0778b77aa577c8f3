package io.sbbf.spark.table

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.TaskContext

import io.sbbf.parquet.input.FileStore

/**
 * Sends files to tasks, and opens them there.
 *
 * @param store the files' own store; None if Hadoop opens them
 */
private[spark] final class TaskFiles(store: Option[FileStore with Serializable])
    extends Serializable {

  /** Returns the file without what stores add to a status, which may not be serializable. */
  def sent(file: FileStatus): FileStatus =
    if (store.isDefined) file else new FileStatus(file.getLen, false, 1, 0, 0, file.getPath)

  /** Returns the files' own store in a task, which closes its copy in the end. */
  def own(): Option[FileStore] = {
    store.foreach(copy => TaskContext.get().addTaskCompletionListener[Unit](_ => copy.close()))
    store
  }

  /** Returns the store that opens the files in a task. */
  def opened(conf: Configuration): FileStore = own().getOrElse(FileStore.hadoop(conf))
}
