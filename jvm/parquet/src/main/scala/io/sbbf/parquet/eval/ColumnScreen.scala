package io.sbbf.parquet.eval

import java.util.concurrent.atomic.AtomicReferenceArray

import io.sbbf.core.bloom.SplitBlockBloomFilter
import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.literal.BoundPredicate.InSet
import io.sbbf.parquet.model.{ColumnType, Evidence, FileSchema, Physical}

/**
 * Holds the statistics and the filters of one column in all row groups of many files side by side.
 * It refutes a list of literals for a row group in the time of a few memory accesses. Each result
 * is that of [[ColumnLeaf]]. Where that would need more than null counts, bounds and a filter in
 * memory, there is no result. Thread-safe.
 *
 * @param kind the type of the column; files that store it as another type have no results
 * @param columns the number of the column in each file; -1 for a file without results
 * @param starts the number of the first row group of each file, and at the end that of all row
 *   groups
 * @param states what the footer states about each row group
 * @param mins the ordinals of the lower bounds; see `SortKeys.ordinals`
 */
private[parquet] final class ColumnScreen private (
    files: Array[FileEvidence],
    val kind: ColumnType,
    columns: Array[Int],
    starts: Array[Int],
    states: Array[Byte],
    mins: Array[Long],
    maxs: Array[Long]) {
  import ColumnScreen._

  // Volatile accesses publish the bytes of a filter to other threads.
  private val filters = new AtomicReferenceArray[Array[Byte]](states.length)

  /** Returns the heap that the screen holds besides the filters, in bytes. */
  def retainedBytes: Long = 160 + 8L * columns.length + BytesPerRowGroup * states.length

  /**
   * Returns whether the test refutes every row group of a file.
   *
   * @param test a list of literals, of the type `kind`; see [[canEvaluate]]
   * @param refuted receives the number of row groups by evidence; valid only for a refuted file
   */
  def refutes(file: Int, test: InSet, refuted: RefutedCounts): Boolean = {
    val end = starts(file + 1)
    var rowGroup = starts(file)
    var evidence: Evidence = if (columns(file) < 0) null else Evidence.None
    refuted.reset()
    while (rowGroup < end && evidence != null) {
      evidence = refutation(file, rowGroup, test)
      refuted.add(evidence)
      rowGroup += 1
    }
    evidence != null
  }

  /** Returns the evidence that refutes the test for a row group, or null if there is none. */
  private def refutation(file: Int, rowGroup: Int, test: InSet): Evidence = {
    val state = states(rowGroup)
    if (state == NoValues) Evidence.NullCount
    else if (state == Undecided) null
    else if (state == Bounded && test.keys.missOrdinals(mins(rowGroup), maxs(rowGroup)))
      Evidence.MinMax
    else {
      val filter = filterOf(file, rowGroup)
      if (filter == null) null else fromFilter(filter, file, rowGroup, test)
    }
  }

  private def fromFilter(
      filter: Array[Byte],
      file: Int,
      rowGroup: Int,
      test: InSet): Evidence = {
    // A single literal that is surely within the bounds needs no look at the footer.
    val isInside = test.hashes.length == 1 && (states(rowGroup) != Bounded ||
      test.keys.isFirstWithin(mins(rowGroup), maxs(rowGroup)))
    if (isInside) {
      if (SplitBlockBloomFilter.mightContain(filter, test.hashes(0))) null else Evidence.Bloom
    } else {
      val bounds = files(file).footer.bounds
      val chunk = files(file).footer.chunk(rowGroup - starts(file), columns(file))
      if (bounds.isKnown(chunk) && test.misses(bounds, chunk)) Evidence.MinMax
      else if (test.mightBeIn(filter, bounds, chunk)) null
      else Evidence.Bloom
    }
  }

  /** Returns the bitset of a filter, or null if it is not in memory or does not decide. */
  private def filterOf(file: Int, rowGroup: Int): Array[Byte] = {
    val known = filters.get(rowGroup)
    if (known != null) known
    else {
      val read = files(file).decisiveFilter(rowGroup - starts(file), columns(file))
      if (read != null) filters.set(rowGroup, read)
      read
    }
  }

  /** Marks the column's contents as used by a pass. */
  def touch(pass: Long): Unit =
    files.indices.foreach(i => if (columns(i) >= 0) files(i).touch(columns(i), pass))
}

private[parquet] object ColumnScreen {
  private final val Undecided = 0
  private final val NoValues = 1
  private final val Unbounded = 2
  private final val Bounded = 3

  /** A state, two ordinals and a reference. */
  private final val BytesPerRowGroup = 1L + 2 * 8 + 8

  /** Returns whether a screen has results for the test. */
  def canEvaluate(test: InSet): Boolean =
    !test.isNegated && !test.containsNaN && test.keys.size > 0

  /** Returns the heap that a screen of these files would hold, in bytes. */
  def sizeOf(files: Array[FileEvidence]): Long =
    160 + files.iterator.map(8 + BytesPerRowGroup * _.footer.numRowGroups).sum

  /** Returns the screen of a column, or None if no file stores it with one value in each row. */
  def of(
      files: Array[FileEvidence],
      path: ColumnPath,
      caseSensitive: Boolean): Option[ColumnScreen] = {
    val columns = resolve(files, path, caseSensitive)
    columns.indexWhere(_ >= 0) match {
      case -1 => None
      case first =>
        val kind = files(first).footer.schema.column(columns(first)).columnType
        if (kind.physical == Physical.Bool) None else Some(build(files, kind, columns))
    }
  }

  /** Returns the number of the column in each file, or -1 if the file is evaluated on its own. */
  private def resolve(
      files: Array[FileEvidence],
      path: ColumnPath,
      caseSensitive: Boolean): Array[Int] = {
    var latest: FileSchema = null
    var column = -1
    files.map { file =>
      val schema = file.footer.schema
      if (schema ne latest) {
        latest = schema
        column = schema.resolve(path, caseSensitive) match {
          case FileSchema.Found(c) if schema.column(c).isFlat => c
          case _ => -1
        }
      }
      if (file.footer.numRowGroups == 0) -1 else column
    }
  }

  private def build(
      files: Array[FileEvidence],
      kind: ColumnType,
      found: Array[Int]): ColumnScreen = {
    val columns = files.indices.map { i =>
      val c = found(i)
      if (c >= 0 && files(i).footer.schema.column(c).columnType == kind) c else -1
    }.toArray
    val starts = files.scanLeft(0)(_ + _.footer.numRowGroups)
    val states = new Array[Byte](starts.last)
    val (mins, maxs) = (new Array[Long](starts.last), new Array[Long](starts.last))
    for (i <- files.indices if columns(i) >= 0; g <- 0 until files(i).footer.numRowGroups) {
      val footer = files(i).footer
      val (chunk, at) = (footer.chunk(g, columns(i)), starts(i) + g)
      states(at) = stateOf(files(i), g, columns(i)).toByte
      if (states(at) == Bounded) {
        mins(at) = footer.bounds.minOrdinal(chunk, kind.keys)
        maxs(at) = footer.bounds.maxOrdinal(chunk, kind.keys)
      }
    }
    new ColumnScreen(files, kind, columns, starts, states, mins, maxs)
  }

  private def stateOf(file: FileEvidence, rowGroup: Int, column: Int): Int = {
    val footer = file.footer
    val chunk = footer.chunk(rowGroup, column)
    if (footer.numRows(rowGroup) == 0) NoValues
    else if (footer.isUnreadable(chunk)) Undecided
    else if (footer.isAllNull(rowGroup, column)) NoValues
    else if (footer.bounds.isKnown(chunk)) Bounded
    else Unbounded
  }
}
