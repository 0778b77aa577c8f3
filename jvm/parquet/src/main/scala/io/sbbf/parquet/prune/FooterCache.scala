package io.sbbf.parquet.prune

import java.util.LinkedHashMap

import org.apache.hadoop.fs.Path

import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.model.FileVersion

/**
 * What is known of files, by path, length and modification time; the least recently used goes first. One cache
 * serves all sessions of a driver, so that nothing is put into it that took keys to read. Thread-safe.
 */
private[sbbf] final class FooterCache {
  import FooterCache._

  private final class Entry(val evidence: FileEvidence, val readAt: Long, var bytes: Long)

  private val entries = new LinkedHashMap[FileVersion, Entry](256, 0.75f, true)
  private var total = 0L

  /**
   * None, too, for what was read within two seconds of the file's modification, and where the store does not tell when
   * that was: it may have changed again.
   */
  def get(version: FileVersion): Option[FileEvidence] = synchronized {
    Option(entries.get(version))
      .filter(entry => entry.readAt >= version.modificationTime + SettlingMillis)
      .map(_.evidence)
  }

  /** Keeps what was read of a file at `readAt` (milliseconds since 1970), within `maxBytes` for all entries. */
  def put(version: FileVersion, evidence: FileEvidence, readAt: Long, maxBytes: Long): Unit =
    if (version.etag.isDefined || version.modificationTime > 0) synchronized {
      val entry = new Entry(evidence, readAt, weigh(version, evidence))
      Option(entries.put(version, entry)).foreach(old => total -= old.bytes)
      total += entry.bytes
      shrinkTo(maxBytes)
    }

  /** Counts anew an entry that has read more filters or dictionaries since it was put here. */
  def reweigh(version: FileVersion, maxBytes: Long): Unit = synchronized {
    Option(entries.get(version)).foreach { entry =>
      val now = weigh(version, entry.evidence)
      total += now - entry.bytes
      entry.bytes = now
      shrinkTo(maxBytes)
    }
  }

  /**
   * Drops what is known of these files, whatever their version: one that was put back with its old
   * time may become another of a length that it had before.
   */
  def forget(paths: Set[Path]): Unit = synchronized {
    val all = entries.entrySet.iterator
    while (all.hasNext) {
      val entry = all.next()
      if (paths(entry.getKey.path)) {
        total -= entry.getValue.bytes
        all.remove()
      }
    }
  }

  def retainedBytes: Long = synchronized(total)
  def size: Int = synchronized(entries.size)
  def clear(): Unit = synchronized { entries.clear(); total = 0L }

  private def shrinkTo(maxBytes: Long): Unit = {
    val oldest = entries.entrySet.iterator
    while (total > maxBytes && oldest.hasNext) {
      total -= oldest.next().getValue.bytes
      oldest.remove()
    }
  }
}

private[sbbf] object FooterCache {

  /** The one of this driver. */
  val shared: FooterCache = new FooterCache

  /** File systems tell modification times in steps of up to two seconds. */
  private val SettlingMillis = 2000L

  /** A map entry, an entry, a version, a path and its URI with their headers, as a 64-bit JVM lays them out. */
  private val EntryOverhead = 360L

  /** A URI holds its text once as a whole and once as its path. */
  private def weigh(version: FileVersion, evidence: FileEvidence): Long =
    EntryOverhead + 2L * version.path.toString.length + evidence.retainedBytes
}
