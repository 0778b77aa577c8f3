package io.sbbf.parquet
package attach

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** Files that were to take the place of others, of processes that were killed before. */
private[sbbf] object LeftOvers {

  /**
   * Removes them. A process that is still at work on one fails there, and leaves the old file as it is.
   *
   * @throws java.io.IOException when a folder cannot be listed
   */
  def remove(folders: Seq[Path], conf: Configuration): Unit =
    folders.foreach { folder =>
      val store = folder.getFileSystem(conf)
      store
        .listStatus(folder, (path: Path) => Replacement.isLeftOver(path))
        .foreach(file => store.delete(file.getPath, false))
    }
}
