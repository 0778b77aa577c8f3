package io.sbbf.parquet.prune

import java.util.concurrent.atomic.AtomicInteger
import java.util.{ArrayList, LinkedHashMap, LinkedHashSet}

import org.apache.hadoop.fs.{FileStatus, Path}

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
  private val withContents = new LinkedHashSet[Entry]
  private var footerTotal = 0L
  private var contentTotal = 0L
  private var listings = List.empty[ListingEvidence]
  private var removals = 0L

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
    forgetListings()
    val all = entries.entrySet.iterator
    while (all.hasNext) {
      val entry = all.next()
      if (paths(entry.getKey.path)) {
        discount(entry.getValue)
        all.remove()
      }
    }
  }

  def retainedBytes: Long =
    synchronized(footerTotal + contentTotal + listings.map(_.retainedBytes).sum)
  def size: Int = synchronized(entries.size)
  def clear(): Unit = synchronized {
    entries.values.forEach(discount(_))
    entries.clear()
  }

  /** Counts an entry that was added. */
  private def count(entry: Entry): Unit = {
    footerTotal += entry.footerBytes
    countContents(entry, entry.evidence.contentBytes)
  }

  /** Counts an entry no longer, because it is removed. */
  private def discount(entry: Entry): Unit = {
    removed()
    footerTotal -= entry.footerBytes
    countContents(entry, 0L)
  }

  private def countContents(entry: Entry, bytes: Long): Unit = {
    contentTotal += bytes - entry.contentBytes
    entry.contentBytes = bytes
    if (bytes > 0) withContents.add(entry) else withContents.remove(entry)
  }

  /** Forgets the listings, which may hold what is removed. */
  private def removed(): Unit = {
    listings = Nil
    removals += 1
  }

  /** Forgets the listings. What queries used through them counts as used. */
  private def forgetListings(): Unit = {
    listings.sortBy(_.lastUse).foreach { listing =>
      listing.touch { version =>
        val entry = entries.get(version)
        if (entry != null) entry.lastUse = math.max(entry.lastUse, listing.lastUse)
      }
    }
    listings = Nil
  }

  /** Forgets the contents of columns that no pass from `usedBefore` on has used. */
  private def forgetContents(entry: Entry, usedBefore: Long): Unit = {
    removed()
    val left = entry.evidence.forgetContents(usedBefore)
    // What other passes have read and not settled yet counts when they settle it.
    countContents(entry, math.min(entry.contentBytes, left))
  }

  /**
   * One pass over files, which uses the cache and fills it up to `maxBytes`. Thread-safe.
   *
   * A pass first gets and binds what the cache holds of all its files, and only then puts others
   * in. Otherwise it may evict what it is about to use.
   */
  final class Pass private[FooterCache] (number: Long, maxBytes: Long) {
    private val declined = new AtomicInteger
    // Each entry is checked once in a pass.
    private lazy val unusedContents = new ArrayList(withContents).iterator

    /**
     * Returns for how many files, at least, there was no room for the footer, filters or
     * dictionaries. Each pass reads these again. 0 if the cache is turned off.
     */
    def filesDeclined: Int = if (maxBytes == 0) 0 else declined.get

    /** Returns whether the cache has room for so many bytes. */
    def hasRoom(bytes: Long): Boolean = retainedBytes + bytes <= maxBytes

    /** Returns the evidence of the files of a listing that the cache holds. */
    def listing(files: IndexedSeq[FileStatus]): ListingEvidence = {
      val (known, removalsBefore) = FooterCache.this.synchronized((listings, removals))
      val found = known.find(_.isOf(files)).getOrElse {
        val evidence = files.iterator.map(f => get(FileVersion.of(f)).orNull).toArray
        new ListingEvidence(files, evidence, number)
      }
      found.lastUse = number
      if (found.isComplete) FooterCache.this.synchronized {
        if (removals == removalsBefore) {
          listings = (found :: listings.filter(_ ne found)).take(MostListings)
          if (isFull) forgetListings()
        }
      }
      found
    }

    /**
     * Returns the evidence of this version of a file, if the cache holds it.
     *
     * Returns None if the evidence was read within two seconds of the file's modification,
     * because the file may have changed again since.
     */
    def get(version: FileVersion): Option[FileEvidence] = FooterCache.this.synchronized {
      val entry = entries.get(version)
      if (entry == null) None
      else {
        entry.lastUse = UseClock.now
        if (entry.readAt < version.modificationTime + SettlingMillis) None
        else Some(entry.evidence)
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
          if (entry.footerBytes <= maxBytes) {
            entries.put(version, entry)
            count(entry)
            evictUnused(number)
            if (footerTotal <= maxBytes) forgetEldestContents()
          }
          if (isFull || !entries.containsKey(version)) {
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
        entry.lastUse = UseClock.now
        countContents(entry, entry.evidence.contentBytes)
        if (entry.bytes <= maxBytes) {
          evictUnused(number)
          forgetUnusedContents()
        }
        if (isFull) decline(entry)
        if (isFull) remove(version)
      }
    }

    private def isFull: Boolean = retainedBytes > maxBytes

    /** Forgets the contents of columns that this pass does not use, until the rest fits. */
    private def forgetUnusedContents(): Unit =
      while (isFull && unusedContents.hasNext) {
        val entry = unusedContents.next()
        if (withContents.contains(entry)) forgetContents(entry, usedBefore = number)
      }

    /** Forgets contents, also of this pass, until the footers and the other contents fit. */
    private def forgetEldestContents(): Unit =
      while (isFull) decline(withContents.iterator.next())

    /** Forgets the contents of an entry. */
    private def decline(entry: Entry): Unit = {
      forgetContents(entry, usedBefore = Long.MaxValue)
      declined.incrementAndGet()
    }

    /** Evicts entries whose last use was before the pass `usedBefore`, until the rest fits. */
    private[FooterCache] def evictUnused(usedBefore: Long): Unit = {
      if (isFull) forgetListings()
      val eldest = entries.values.iterator
      var isUnused = true
      while (isFull && isUnused && eldest.hasNext) {
        val entry = eldest.next()
        isUnused = entry.lastUse < usedBefore
        if (isUnused) {
          discount(entry)
          eldest.remove()
        }
      }
    }

    private def remove(version: FileVersion): Unit =
      Option(entries.remove(version)).foreach(discount)
  }
}

private[sbbf] object FooterCache {

  /** The driver's cache. */
  val shared: FooterCache = new FooterCache

  /** The coarsest resolution at which file systems report modification times. */
  private val SettlingMillis = 2000L

  /** Limits the listings that are remembered, each of which a query compares with its own. */
  private val MostListings = 8

  /**
   * The heap of a map entry, a cache entry, a version, a path and its URI, with object headers,
   * on a 64-bit JVM.
   */
  private val EntryOverhead = 360L

  /** Estimates the heap of an entry. A URI holds its text twice, as a whole and as its path. */
  private def overhead(version: FileVersion): Long =
    EntryOverhead + 2L * version.path.toString.length

  private final class Entry(val evidence: FileEvidence, val readAt: Long, val footerBytes: Long) {

    /** The filters and dictionaries, as counted last. */
    var contentBytes = 0L

    /** The latest pass that used it. */
    var lastUse: Long = UseClock.now

    def bytes: Long = footerBytes + contentBytes
  }
}
