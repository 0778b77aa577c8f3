package io.sbbf.parquet.prune

import java.util.concurrent.atomic.AtomicInteger
import java.util.{ArrayList, LinkedHashMap}

import org.apache.hadoop.fs.Path

import io.sbbf.parquet.chunk.UseClock
import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.model.FileVersion

/**
 * Caches the evidence of files by their [[FileVersion]], within the limit that each pass states.
 * Evicts the least recently used entry first. Thread-safe.
 *
 * A pass evicts nothing that it has used itself. So a pass over more than the cache holds keeps a
 * part of it from query to query, and reads only the rest again. Footers come first: a footer
 * takes the room of filters and dictionaries, even of the same pass.
 *
 * One cache serves all sessions of a driver. Callers must not put evidence into it that needed
 * keys to read.
 */
private[sbbf] final class FooterCache {
  import FooterCache._

  private val entries = new LinkedHashMap[FileVersion, Entry](256, 0.75f, true)
  private var total = 0L

  /** Begins a pass, and evicts entries until the rest fits into `maxBytes`. */
  def pass(maxBytes: Long): Pass = synchronized {
    val begun = new Pass(UseClock.tick(), maxBytes)
    begun.evictUnused(Long.MaxValue)
    begun
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
        total -= entry.getValue.evict()
        all.remove()
      }
    }
  }

  def retainedBytes: Long = synchronized(total)
  def size: Int = synchronized(entries.size)
  def clear(): Unit = synchronized {
    entries.values.forEach(entry => total -= entry.evict())
    entries.clear()
  }

  /**
   * One pass over files, which uses the cache and fills it up to `maxBytes`. Thread-safe.
   *
   * A pass first gets and binds what the cache holds of all its files, and only then puts others
   * in. Otherwise it may evict what it is about to use.
   */
  final class Pass private[FooterCache] (number: Long, maxBytes: Long) {
    private val declined = new AtomicInteger
    // contents that make room for a footer, and those that make room for others
    private lazy val allContents = new Sweep(Long.MaxValue)
    private lazy val unusedContents = new Sweep(number)

    /**
     * Returns the number of files for whose footer, filters or dictionaries there was no room.
     * Each pass reads these again. 0 if the cache is turned off.
     */
    def filesDeclined: Int = if (maxBytes == 0) 0 else declined.get

    /**
     * Returns the evidence of this version of a file, if the cache holds it.
     *
     * Returns None if the evidence was read within two seconds of the file's modification,
     * because the file may have changed again since.
     */
    def get(version: FileVersion): Option[FileEvidence] = FooterCache.this.synchronized {
      val entry = entries.get(version)
      if (entry == null || entry.readAt < version.modificationTime + SettlingMillis) None
      else {
        entry.lastUse = UseClock.now
        Some(entry.evidence)
      }
    }

    /**
     * Caches the footer of a file, unless the footers of this pass fill the cache. Files without
     * a modification time or ETag are never cached.
     *
     * @param readAt when the evidence was read, in milliseconds since 1970
     */
    def put(version: FileVersion, evidence: FileEvidence, readAt: Long): Unit =
      if (version.etag.isDefined || version.modificationTime > 0)
        FooterCache.this.synchronized {
          remove(version)
          val entry = new Entry(evidence, readAt, overhead(version) + evidence.footerBytes)
          entries.put(version, entry)
          total += entry.bytes
          if (!makeRoom(allContents)) {
            remove(version)
            declined.incrementAndGet()
          }
        }

    /**
     * Counts the filters and dictionaries that were read from a file since. If there is no room
     * for them, forgets those of this file.
     */
    def settle(version: FileVersion): Unit = FooterCache.this.synchronized {
      Option(entries.get(version)).foreach { entry =>
        total += entry.recount()
        if (!makeRoom(unusedContents)) {
          total += entry.forget(usedBefore = Long.MaxValue)
          declined.incrementAndGet()
        }
        if (total > maxBytes) remove(version)
      }
    }

    /** Evicts until the rest fits into `maxBytes`, and returns whether it does. */
    private def makeRoom(contents: => Sweep): Boolean = {
      evictUnused(number)
      while (total > maxBytes && contents.hasNext) total += contents.forgetNext()
      total <= maxBytes
    }

    /** Evicts entries whose last use was before the pass `usedBefore`, until the rest fits. */
    private[FooterCache] def evictUnused(usedBefore: Long): Unit = {
      val eldest = entries.values.iterator
      var isUnused = true
      while (total > maxBytes && isUnused && eldest.hasNext) {
        val entry = eldest.next()
        isUnused = entry.lastUse < usedBefore
        if (isUnused) {
          total -= entry.evict()
          eldest.remove()
        }
      }
    }

    private def remove(version: FileVersion): Unit =
      Option(entries.remove(version)).foreach(total -= _.evict())
  }

  /** Forgets the contents of entry after entry, each once, the least recently used first. */
  private final class Sweep(usedBefore: Long) {
    private val left = new ArrayList(entries.values).iterator

    def hasNext: Boolean = left.hasNext

    /** Returns by how many bytes the next entry has grown: none, or fewer. */
    def forgetNext(): Long = left.next().forget(usedBefore)
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
  private def overhead(version: FileVersion): Long =
    EntryOverhead + 2L * version.path.toString.length

  private final class Entry(val evidence: FileEvidence, val readAt: Long, footerBytes: Long) {
    private var contentBytes = evidence.contentBytes
    private var isEvicted = false

    /** The latest pass that used it. */
    var lastUse: Long = UseClock.now

    def bytes: Long = footerBytes + contentBytes

    /** Marks the entry as evicted, and returns its bytes. */
    def evict(): Long = {
      isEvicted = true
      bytes
    }

    /** Measures the contents, and returns by how many bytes they have grown. */
    def recount(): Long =
      if (isEvicted) 0L
      else {
        val before = contentBytes
        contentBytes = evidence.contentBytes
        contentBytes - before
      }

    /** Forgets contents, and returns by how many bytes they have grown: none, or fewer. */
    def forget(usedBefore: Long): Long = {
      evidence.forgetContents(usedBefore)
      recount()
    }
  }
}
