package io.sbbf.parquet.append

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** Deletes temporary files that killed processes left behind. */
private[sbbf] object OrphanCleanup {

  /**
   * Deletes the temporary files that were to replace `files`, if these files still exist. A
   * process that is writing such a temporary file fails, and leaves the old file unchanged.
   *
   * @throws java.io.IOException if a folder cannot be listed
   */
  def remove(files: Seq[Path], conf: Configuration): Unit =
    files.map(AtomicReplace.resolveLink(_, conf)).groupBy(_.getParent).foreach {
      case (folder, targets) =>
        val store = folder.getFileSystem(conf)
        if (!AtomicReplace.isPutting(store, folder)) // atomic PUTs leave no temporary files
          for {
            file <- store.listStatus(folder, (path: Path) => AtomicReplace.isTemporary(path))
            target = AtomicReplace.targetOf(file.getPath)
            if targets.contains(target) && store.exists(target)
          } store.delete(file.getPath, false)
    }
}
