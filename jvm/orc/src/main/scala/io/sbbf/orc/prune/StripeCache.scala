package io.sbbf.orc.prune

import java.util.LinkedHashMap
import java.util.concurrent.atomic.AtomicInteger

import io.sbbf.parquet.model.FileVersion

/**
 * Caches the evidence of files by their [[FileVersion]], within the limit that each pass states.
 * Evicts the least recently used entry first, but nothing that the same pass has used: a pass over
 * more than the cache holds keeps a part of it from query to query. Thread-safe.
 */
private[sbbf] final class StripeCache {
  import StripeCache._

  private val entries = new LinkedHashMap[FileVersion, Entry](256, 0.75f, true)
  private var total = 0L
  private var passes = 0L

  /** The estimated size of all entries. */
  def retainedBytes: Long = synchronized(total)

  /** Begins a pass, and evicts entries until the rest fits into `maxBytes`. */
  private[prune] def pass(maxBytes: Long): Pass = synchronized {
    passes += 1
    val begun = new Pass(passes, maxBytes)
    begun.evictFor(0)
    begun
  }

  /** One pass over files, which uses the cache and fills it up to `maxBytes`. Thread-safe. */
  private[prune] final class Pass(number: Long, maxBytes: Long) {
    private val declined = new AtomicInteger

    /** Returns for how many files the cache had no space; 0 if it is turned off. */
    def filesDeclined: Int = if (maxBytes == 0) 0 else declined.get

    /**
     * Returns the evidence of this version of a file. Returns null if there is none, or if it was
     * read so soon after the file's modification that the file may have changed again since.
     */
    def get(version: FileVersion): StripeEvidence = StripeCache.this.synchronized {
      val entry = entries.get(version)
      if (entry == null || entry.readAt < version.modificationTime + FileVersion.SettlingMillis)
        null
      else {
        entry.lastPass = number
        entry.evidence
      }
    }

    /**
     * Keeps the evidence of a file and counts what it holds now, unless the evidence of this pass
     * fills the cache. Files without a modification time or ETag are never cached.
     *
     * @param readAt when the tail was read, in milliseconds since 1970
     */
    def keep(version: FileVersion, evidence: StripeEvidence, readAt: Long): Unit =
      if (version.etag.isDefined || version.modificationTime > 0)
        StripeCache.this.synchronized {
          val known = entries.remove(version)
          if (known != null) total -= known.bytes
          // evidence that was only added to was read when its tail was
          val since = if (known != null && (known.evidence eq evidence)) known.readAt else readAt
          val entry = new Entry(evidence, since, Overhead + evidence.bytes, number)
          evictFor(entry.bytes)
          if (total + entry.bytes <= maxBytes) {
            entries.put(version, entry)
            total += entry.bytes
          } else declined.incrementAndGet()
        }

    private[StripeCache] def evictFor(bytes: Long): Unit = {
      val eldest = entries.values.iterator
      var isUnused = true
      while (total + bytes > maxBytes && isUnused && eldest.hasNext) {
        val entry = eldest.next()
        isUnused = entry.lastPass < number
        if (isUnused) {
          total -= entry.bytes
          eldest.remove()
        }
      }
    }
  }
}

private[sbbf] object StripeCache {

  /** The driver's cache. */
  val shared: StripeCache = new StripeCache

  /** The heap of a map entry, a version, a path and its URI. */
  private final val Overhead = 600L

  private final class Entry(
      val evidence: StripeEvidence,
      val readAt: Long,
      val bytes: Long,
      var lastPass: Long)
}
