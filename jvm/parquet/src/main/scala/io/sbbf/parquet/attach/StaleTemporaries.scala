package io.sbbf.parquet
package attach

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** Files that were to take the place of others, of processes that were killed before. */
private[sbbf] object StaleTemporaries {

  /**
   * Removes those that lie beside these files, if what they were to replace is still there. A process that is
   * at work on one fails there, and leaves the old file as it is.
   *
   * @throws java.io.IOException when a folder cannot be listed
   */
  def remove(files: Seq[Path], conf: Configuration): Unit =
    files.map(Replacement.resolveLink(_, conf).getParent).distinct.foreach { folder =>
      val store = folder.getFileSystem(conf)
      for {
        file <- store.listStatus(folder, (path: Path) => Replacement.isTemporary(path))
        if store.exists(Replacement.targetOf(file.getPath))
      } store.delete(file.getPath, false)
    }
}
