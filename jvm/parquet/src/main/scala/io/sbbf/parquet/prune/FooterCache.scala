package io.sbbf.parquet.prune

import java.util.concurrent.atomic.AtomicInteger
import java.util.{ArrayList, LinkedHashMap, LinkedHashSet}

import scala.reflect.ClassTag

import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.parquet.chunk.{CachedEvidence, PassCounter}
import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.model.FileVersion

/**
 * Caches the evidence of files by their [[FileVersion]], within the limit that each pass states.
 * Evicts the least recently used entry first. Thread-safe.
 *
 * A pass evicts nothing that it has used itself. So a pass over more than the cache holds keeps a
 * part of it from query to query, and reads only the rest again. Footers come first: a footer
 * takes the space of filters and dictionaries, even of the same pass.
 *
 * One cache serves all sessions of a driver, and all formats. Callers must not put evidence into it that needed
 * keys to read.
 */
private[sbbf] final class FooterCache {
  import FooterCache._

  private val entries = new LinkedHashMap[FileVersion, Entry](256, 0.75f, true)
  private val withContents = new LinkedHashSet[Entry]
  private var footerTotal = 0L
  private var contentTotal = 0L
  private val listings = new KnownListings

  /** Begins a pass, and evicts entries until the rest fits into `maxBytes`. */
  def pass(maxBytes: Long): Pass = synchronized {
    val begun = new Pass(PassCounter.begin(), maxBytes)
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
        subtractBytes(entry.getValue)
        all.remove()
      }
    }
  }

  def retainedBytes: Long =
    synchronized(footerTotal + contentTotal + listings.retainedBytes)
  def size: Int = synchronized(entries.size)
  def clear(): Unit = synchronized {
    entries.values.forEach(subtractBytes(_))
    entries.clear()
  }

  /** Adds the bytes of an entry to the totals. */
  private def addBytes(entry: Entry): Unit = {
    footerTotal += entry.footerBytes
    recountContents(entry, entry.evidence.contentBytes)
  }

  /** Subtracts the bytes of an entry that is removed, and drops the listings, which hold it. */
  private def subtractBytes(entry: Entry): Unit = {
    listings.drop()
    footerTotal -= entry.footerBytes
    recountContents(entry, 0L)
  }

  private def recountContents(entry: Entry, bytes: Long): Unit = {
    contentTotal += bytes - entry.contentBytes
    entry.contentBytes = bytes
    if (bytes > 0) withContents.add(entry) else withContents.remove(entry)
  }

  /** Marks entries as used that queries used through listings. */
  private def recordUses(): Unit = listings.recordUses(use)

  private def use(version: FileVersion, pass: Long): Unit = {
    val entry = entries.get(version)
    if (entry != null) entry.lastUse = math.max(entry.lastUse, pass)
  }

  /** Forgets the contents of columns that no pass from `usedBefore` on has used. */
  private def forgetContents(entry: Entry, usedBefore: Long): Unit = {
    listings.drop()
    val left = entry.evidence.forgetContents(usedBefore)
    // What other passes have read and not settled yet counts when they settle it.
    recountContents(entry, math.min(entry.contentBytes, left))
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
     * Returns how often there was no space for the footer, or for the filters and dictionaries, of a
     * file. Later passes read these again. 0 if the cache is turned off.
     */
    def filesDeclined: Int = if (maxBytes == 0) 0 else declined.get

    /** Returns whether this pass had no space for filters or dictionaries. */
    def isExhausted: Boolean = maxBytes == 0 || declined.get > 0

    /** Returns whether the cache has space for so many bytes. */
    def hasSpace(bytes: Long): Boolean = retainedBytes + bytes <= maxBytes

    /**
     * Returns the evidence that the cache holds of the files of a listing.
     *
     * @param remembers whether the next queries are likely to use the same listing
     */
    def listing(files: IndexedSeq[FileStatus], remembers: Boolean = true): ListingEvidence =
      FooterCache.this.synchronized(listings.all).find(_.isOf(files)) match {
        case Some(known) =>
          known.use(number)
          known
        case None => lookUp(files, remembers)
      }

    /**
     * Marks all that this pass has used through a listing, so that it evicts none of it. Call this
     * before the pass puts or settles anything.
     */
    def recordUse(listing: ListingEvidence): Unit =
      FooterCache.this.synchronized(listing.recordUse(FooterCache.this.use))

    private def lookUp(files: IndexedSeq[FileStatus], remembers: Boolean): ListingEvidence = {
      val generation = FooterCache.this.synchronized {
        recordUses() // before this pass uses other entries, so that theirs are the latest uses
        listings.generation
      }
      val evidence = files.iterator.map(f => get[FileEvidence](FileVersion.of(f)).orNull).toArray
      val found = new ListingEvidence(files, evidence, number)
      if (remembers && found.isComplete) {
        val bytes = found.retainedBytes // counts the texts of all paths
        FooterCache.this.synchronized {
          if (hasSpace(bytes)) listings.add(found, generation)
        }
      }
      found
    }

    /**
     * Returns the evidence of this version of a file, if the cache holds it and it is of this format.
     *
     * Returns None if the evidence was read within two seconds of the file's modification,
     * because the file may have changed again since.
     */
    def get[E <: CachedEvidence: ClassTag](version: FileVersion): Option[E] =
      FooterCache.this.synchronized {
        val entry = entries.get(version)
        if (entry == null) None
        else {
          entry.lastUse = PassCounter.latest
          if (entry.readAt < version.modificationTime + FileVersion.SettlingMillis) None
          else Option(entry.evidence).collect { case known: E => known }
        }
      }

    /**
     * Caches the footer of a file, unless the footers of this pass fill the cache. Files without
     * a modification time or ETag are never cached.
     *
     * @param readAt when the evidence was read, in milliseconds since 1970
     */
    def put(version: FileVersion, evidence: CachedEvidence, readAt: Long): Unit =
      if (version.etag.isDefined || version.modificationTime > 0)
        FooterCache.this.synchronized {
          if (entries.containsKey(version)) recordUses() // the listings are dropped
          remove(version)
          val entry = new Entry(evidence, readAt, overhead(version) + evidence.footerBytes)
          if (entry.footerBytes <= maxBytes) {
            entries.put(version, entry)
            addBytes(entry)
            evictUnused(number)
            if (footerTotal <= maxBytes) {
              forgetUnusedContents()
              forgetEldestContents()
            }
          }
          if (isFull || !entries.containsKey(version)) {
            remove(version)
            declined.incrementAndGet()
          }
        }

    /**
     * Counts the filters and dictionaries that this pass has read from a file. If there is no space
     * for them, forgets those of this file.
     */
    def settle(version: FileVersion): Unit = FooterCache.this.synchronized {
      Option(entries.get(version)).foreach { entry =>
        entry.lastUse = PassCounter.latest
        recountContents(entry, entry.evidence.contentBytes)
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
      while (isFull && !withContents.isEmpty) decline(withContents.iterator.next())

    /** Forgets the contents of an entry. */
    private def decline(entry: Entry): Unit = {
      forgetContents(entry, usedBefore = Long.MaxValue)
      declined.incrementAndGet()
    }

    /** Evicts entries whose last use was before the pass `usedBefore`, until the rest fits. */
    private[FooterCache] def evictUnused(usedBefore: Long): Unit = {
      if (isFull) {
        recordUses()
        listings.drop()
      }
      val eldest = entries.values.iterator
      var isUnused = true
      while (isFull && isUnused && eldest.hasNext) {
        val entry = eldest.next()
        isUnused = entry.lastUse < usedBefore
        if (isUnused) {
          subtractBytes(entry)
          eldest.remove()
        }
      }
    }

    private def remove(version: FileVersion): Unit =
      Option(entries.remove(version)).foreach(subtractBytes)
  }
}

private[sbbf] object FooterCache {

  /** The driver's cache. */
  val shared: FooterCache = new FooterCache

  /**
   * The heap of a map entry, a cache entry, a version, a path and its URI, with object headers,
   * on a 64-bit JVM.
   */
  private val EntryOverhead = 360L

  /** Estimates the heap of an entry. A URI holds its text twice, as a whole and as its path. */
  private def overhead(version: FileVersion): Long =
    EntryOverhead + 2L * version.path.toString.length

  private final class Entry(
      val evidence: CachedEvidence,
      val readAt: Long,
      val footerBytes: Long) {

    /** The filters and dictionaries, as counted last. */
    var contentBytes = 0L

    /** The latest pass that used it. */
    var lastUse: Long = PassCounter.latest

    def bytes: Long = footerBytes + contentBytes
  }
}
