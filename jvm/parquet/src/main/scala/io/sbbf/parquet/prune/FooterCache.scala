package io.sbbf.parquet.prune

import java.util.LinkedHashMap

import org.apache.hadoop.fs.Path

import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.model.FileVersion

/**
 * Caches the evidence of files by their [[FileVersion]] and evicts the least recently used entry
 * first. Thread-safe.
 *
 * One cache serves all sessions of a driver. Callers must not put evidence into it that needed
 * keys to read.
 */
private[sbbf] final class FooterCache {
  import FooterCache._

  private final class Entry(val evidence: FileEvidence, val readAt: Long, var bytes: Long)

  private val entries = new LinkedHashMap[FileVersion, Entry](256, 0.75f, true)
  private var total = 0L

  /**
   * Returns the evidence of this version of a file, if the cache holds it.
   *
   * Returns None if the evidence was read within two seconds of the file's modification, because
   * the file may have changed again since.
   */
  def get(version: FileVersion): Option[FileEvidence] = synchronized {
    Option(entries.get(version))
      .filter(entry => entry.readAt >= version.modificationTime + SettlingMillis)
      .map(_.evidence)
  }

  /**
   * Caches evidence, and evicts entries until all of them fit into `maxBytes`. Files without a
   * modification time or ETag are never cached.
   *
   * @param readAt when the evidence was read, in milliseconds since 1970
   */
  def put(version: FileVersion, evidence: FileEvidence, readAt: Long, maxBytes: Long): Unit =
    if (version.etag.isDefined || version.modificationTime > 0) synchronized {
      val entry = new Entry(evidence, readAt, weigh(version, evidence))
      Option(entries.put(version, entry)).foreach(old => total -= old.bytes)
      total += entry.bytes
      shrinkTo(maxBytes)
    }

  /**
   * Updates the size of an entry that has read more filters or dictionaries since it was cached.
   */
  def reweigh(version: FileVersion, maxBytes: Long): Unit = synchronized {
    Option(entries.get(version)).foreach { entry =>
      val now = weigh(version, entry.evidence)
      total += now - entry.bytes
      entry.bytes = now
      shrinkTo(maxBytes)
    }
  }

  /**
   * Removes the entries of these files in all versions. A restored file may have its old
   * modification time, and a later version of it an old length.
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

  /** The driver's cache. */
  val shared: FooterCache = new FooterCache

  /** The coarsest resolution at which file systems report modification times. */
  private val SettlingMillis = 2000L

  /**
   * The heap of a map entry, a cache entry, a version, a path and its URI, with object headers,
   * on a 64-bit JVM.
   */
  private val EntryOverhead = 360L

  /** Estimates the heap of an entry. A URI holds its text twice, as a whole and as its path. */
  private def weigh(version: FileVersion, evidence: FileEvidence): Long =
    EntryOverhead + 2L * version.path.toString.length + evidence.retainedBytes
}
