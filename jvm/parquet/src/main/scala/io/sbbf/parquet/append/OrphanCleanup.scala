package io.sbbf.parquet.append

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** Files that were to take the place of others, of processes that were killed before. */
private[sbbf] object OrphanCleanup {

  /**
   * Removes those that were to take the place of these files, if these are still there. A process that is
   * at work on one fails there, and leaves the old file as it is.
   *
   * @throws java.io.IOException when a folder cannot be listed
   */
  def remove(files: Seq[Path], conf: Configuration): Unit =
    files.map(AtomicReplace.resolveLink(_, conf)).groupBy(_.getParent).foreach {
      case (folder, targets) =>
        val store = folder.getFileSystem(conf)
        if (!AtomicReplace.isPutting(store, folder)) // which makes none
          for {
            file <- store.listStatus(folder, (path: Path) => AtomicReplace.isTemporary(path))
            target = AtomicReplace.targetOf(file.getPath)
            if targets.contains(target) && store.exists(target)
          } store.delete(file.getPath, false)
    }
}
