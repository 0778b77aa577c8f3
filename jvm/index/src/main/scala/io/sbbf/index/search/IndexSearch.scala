package io.sbbf.index.search

import java.util.{BitSet, IdentityHashMap}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.index.format.IndexedColumn
import io.sbbf.parquet.hashes.{IndexHits, LeafHits, RowGroupIndex}
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.pass.PruningWarnings
import io.sbbf.parquet.result.IndexReads

/**
 * Searches the segments of the tables that a scan reads. The newest segment that has the keys of a
 * column in a file decides, or else the newest one that has filters of its zones. Thread-safe.
 *
 * @param segments returns the segments of the tables of a listing, newest first
 */
private[search] final class IndexSearch(
    segments: IndexedSeq[FileStatus] => Seq[Segment],
    conf: Configuration,
    warnings: PruningWarnings)
    extends RowGroupIndex {
  import IndexSearch._

  override def search(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      encodings: LiteralEncodings): Option[IndexHits] = {
    val known = segments(files).map(s => s -> s.listing(files)).filter(_._2.isKnown)
    if (known.isEmpty) None
    else {
      val reads = new ReadCounter
      // keys find fewer row groups than filters of zones
      val searched = known.sortBy(_._1.kind != IndexedColumn.Keys)
      val hits = new IdentityHashMap[Leaf, LeafSearch]
      predicate.leaves.foreach { leaf =>
        val ofLeaf =
          new LeafSearch(
            files.size,
            leaf.column.function,
            _.bind(leaf, lookup, encodings),
            conf,
            warnings,
            reads)
        searched.foreach { case (segment, listing) => ofLeaf.search(segment, listing) }
        hits.put(leaf, ofLeaf)
      }
      if (predicate.leaves.forall(hits.get(_).isEmpty)) None
      else Some(new Found(known.map(_._2.rowGroups).toArray, hits, reads.total(known.size)))
    }
  }
}

private object IndexSearch {

  /** @param rowGroups the number of row groups of each file, as each segment knows it */
  private final class Found(
      rowGroups: Array[Array[Int]],
      hits: IdentityHashMap[Leaf, LeafSearch],
      override val reads: IndexReads)
      extends IndexHits {

    override def numRowGroups(file: Int): Int = {
      var segment = 0
      while (segment < rowGroups.length && rowGroups(segment)(file) < 0) segment += 1
      if (segment < rowGroups.length) rowGroups(segment)(file) else -1
    }

    override def candidates(leaf: Leaf): BitSet = hits.get(leaf).candidates
    override def rowGroups(file: Int, leaf: Leaf): LeafHits = hits.get(leaf).rowGroups(file)
  }
}

/** Counts what a search reads. Not thread-safe. */
private[search] final class ReadCounter {
  private var pages = 0
  private var bytes = 0L

  def count(readPages: Int, file: FileBytes): Unit = {
    pages += readPages
    bytes += file.bytesRead
  }

  def total(segments: Int): IndexReads = IndexReads(segments, pages, bytes)
}
