package io.sbbf.parquet.prune

import scala.collection.mutable.ArrayBuffer

import io.sbbf.parquet.eval.{ListingColumn, RefutedCounts}
import io.sbbf.parquet.literal.BoundPredicate.InSet
import io.sbbf.parquet.result.{FilePruning, StorageRequirements}

/**
 * Finds the files of a listing in which no row group can hold one of a list of literals. Files with
 * equal outcomes share one object. Not thread-safe.
 */
private[prune] final class RefutedFiles(
    listing: ListingEvidence,
    column: ListingColumn,
    test: InSet,
    requirements: StorageRequirements,
    caseSensitive: Boolean)
    extends (Int => FilePruning) {
  import RefutedFiles._

  private val templates = listing.refuted(requirements, caseSensitive)
  private val counts = new RefutedCounts
  private val shared = new ArrayBuffer[Shared]

  private var touched = 0
  private var loaded = 0

  /**
   * Returns the outcome of a file, or null if a row group might match. Call it for the files in
   * their order.
   */
  override def apply(file: Int): FilePruning = {
    if (file >= touched) {
      touched = math.min(templates.length, file + FilesAtOnce)
      loaded += column.touch(file, touched, test)
    }
    if (column.refutes(file, test, counts)) outcome(templates(file)) else null
  }

  private def outcome(template: FilePruning): FilePruning = {
    var i = 0
    while (i < shared.length && !shared(i).isOf(template, counts.code)) i += 1
    if (i < shared.length) shared(i).outcome
    else {
      val fresh = template.copy(refutedBy = counts.toMap)
      if (shared.length < MostShared) shared += new Shared(template, counts.code, fresh)
      fresh
    }
  }
}

private[prune] object RefutedFiles {

  /** The files whose filters are loaded at once: some hundred lines of the nearest cache. */
  private final val FilesAtOnce = 16

  /** Limits the outcomes among which each file's is searched. */
  private final val MostShared = 64

  private final class Shared(template: FilePruning, code: Long, val outcome: FilePruning) {
    def isOf(other: FilePruning, counts: Long): Boolean = (other eq template) && counts == code
  }
}
