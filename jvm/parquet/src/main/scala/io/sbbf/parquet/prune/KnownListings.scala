package io.sbbf.parquet.prune

import io.sbbf.parquet.model.FileVersion

/**
 * Remembers the listings of the latest queries, of which each query searches its own. Not
 * thread-safe: [[FooterCache]] synchronizes.
 */
private[prune] final class KnownListings {
  import KnownListings._

  private var listings = List.empty[ListingEvidence]
  private var drops = 0L

  def all: List[ListingEvidence] = listings

  /** Returns a number that grows with each call of [[drop]]. */
  def generation: Long = drops

  /** Remembers a listing, unless listings were dropped since it was begun in `generation`. */
  def add(listing: ListingEvidence, generation: Long): Unit =
    if (generation == drops)
      listings = (listing :: listings).sortBy(-_.lastUse).take(MostListings)

  /** Forgets all listings, because evidence of some of them is removed. */
  def drop(): Unit = {
    listings = Nil
    drops += 1
  }

  /**
   * Calls `use` with each file that was used through a listing since the last call, and with the
   * latest pass that used it, in the order of these passes.
   */
  def recordUses(use: (FileVersion, Long) => Unit): Unit =
    listings.filter(_.hasUnrecordedUse).sortBy(_.lastUse).foreach(_.recordUse(use))

  /** Returns the heap that the listings hold besides the evidence, in bytes. */
  def retainedBytes: Long = listings.map(_.retainedBytes).sum
}

private[prune] object KnownListings {
  private val MostListings = 8
}
