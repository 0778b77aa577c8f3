package io.sbbf.parquet.eval

import java.util.concurrent.atomic.AtomicReferenceArray

import io.sbbf.core.bloom.SplitBlockBloomFilter
import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.literal.BoundPredicate.InSet
import io.sbbf.parquet.model.{ColumnType, Evidence, FileSchema, Physical}

/**
 * Holds the bounds and filters of one column for all row groups of many files, in arrays. Its
 * results equal those of [[ColumnLeaf]]. It has no result where a dictionary, or a filter that is
 * not in memory, would decide. Thread-safe.
 *
 * @param kind the type of the column; files that store it as another type have no results
 * @param columns the number of the column in each file; -1 for a file without results
 * @param starts the number of the first row group of each file, and at the end that of all row
 *   groups
 * @param states for each row group, one of the constants of the companion object
 * @param mins the lower bounds as ordinals; see [[io.sbbf.parquet.statistics.Bounds.minOrdinal]]
 * @param maxs the upper bounds as ordinals
 */
private[parquet] final class ListingColumn private (
    files: Array[FileEvidence],
    val kind: ColumnType,
    columns: Array[Int],
    starts: Array[Int],
    states: Array[Byte],
    mins: Array[Long],
    maxs: Array[Long]) {
  import ListingColumn._

  // Volatile accesses publish the bytes of a filter to other threads.
  private val filters = new AtomicReferenceArray[Array[Byte]](states.length)

  private var lastPass = 0L

  /** Returns the heap that it holds besides the filters, in bytes. */
  def retainedBytes: Long = 160 + 8L * columns.length + BytesPerRowGroup * states.length

  /**
   * Returns whether the test refutes every row group of a file.
   *
   * @param test a list of literals, of the type `kind`; see [[canEvaluate]]
   * @param refuted receives the number of row groups by evidence; valid only for a refuted file
   */
  def refutes(file: Int, test: InSet, refuted: RefutedCounts): Boolean = {
    refuted.reset()
    val end = starts(file + 1)
    var rowGroup = starts(file)
    var isRefuted = columns(file) >= 0
    while (isRefuted && rowGroup < end) {
      val evidence = refutation(file, rowGroup, test)
      isRefuted = evidence != null
      if (isRefuted) refuted.add(evidence)
      rowGroup += 1
    }
    isRefuted
  }

  /**
   * Loads what [[refutes]] probes for a literal in some files into the CPU's caches. Probes one
   * after the other would wait for memory each time.
   *
   * @return a number that depends on what was loaded, so that no compiler leaves out the loads
   */
  def touch(from: Int, until: Int, test: InSet): Int = {
    var sum = 0
    if (test.hashes.length == 1) {
      var rowGroup = starts(from)
      while (rowGroup < starts(until)) {
        val filter = filters.get(rowGroup)
        if (filter != null && isOneWithin(rowGroup, test))
          sum += SplitBlockBloomFilter.touch(filter, test.hashes(0))
        rowGroup += 1
      }
    }
    sum
  }

  /** Returns the evidence that refutes the test for a row group, or null if there is none. */
  private def refutation(file: Int, rowGroup: Int, test: InSet): Evidence = {
    val state = states(rowGroup)
    if (state == AllNull) Evidence.NullCount
    else if (state == Undecided) null
    else if (state == BoundsKnown && test.keys.missOrdinals(mins(rowGroup), maxs(rowGroup)))
      Evidence.MinMax
    else if (isOneWithin(rowGroup, test)) {
      val filter = filterOf(file, rowGroup)
      if (filter == null || SplitBlockBloomFilter.mightContain(filter, test.hashes(0))) null
      else Evidence.Bloom
    } else exactRefutation(file, rowGroup, test)
  }

  /** Returns whether the test has one literal, which the bounds surely do not exclude. */
  private def isOneWithin(rowGroup: Int, test: InSet): Boolean =
    test.hashes.length == 1 && (states(rowGroup) != BoundsKnown ||
      test.keys.isFirstWithin(mins(rowGroup), maxs(rowGroup)))

  /** Compares the literals with the bounds that the footer holds, which ordinals may not decide. */
  private def exactRefutation(file: Int, rowGroup: Int, test: InSet): Evidence = {
    val footer = files(file).footer
    val chunk = footer.chunk(rowGroup - starts(file), columns(file))
    if (test.misses(footer.bounds, chunk)) Evidence.MinMax
    else {
      val filter = filterOf(file, rowGroup)
      if (filter == null || test.mightBeIn(filter, footer.bounds, chunk)) null
      else Evidence.Bloom
    }
  }

  /** Returns a filter's bitset, or null if it is not in memory or the chunk has a dictionary. */
  private def filterOf(file: Int, rowGroup: Int): Array[Byte] = {
    val known = filters.get(rowGroup)
    if (known != null) known
    else {
      val read = files(file).decisiveFilter(rowGroup - starts(file), columns(file))
      if (read != null) filters.set(rowGroup, read)
      read
    }
  }

  /** Marks the column as used by a pass. */
  def use(pass: Long): Unit = synchronized { lastPass = math.max(lastPass, pass) }

  /** Marks the contents of the column in each file as used by the latest pass that used it. */
  def recordUse(): Unit = {
    val pass = synchronized(lastPass)
    files.indices.foreach(i => if (columns(i) >= 0) files(i).touch(columns(i), pass))
  }
}

private[parquet] object ListingColumn {
  private final val Undecided = 0
  private final val AllNull = 1
  private final val BoundsUnknown = 2
  private final val BoundsKnown = 3

  /** A state, two ordinals and a reference. */
  private final val BytesPerRowGroup = 1L + 2 * 8 + 8

  /** Returns whether a test can have results. */
  def canEvaluate(test: InSet): Boolean =
    !test.isNegated && !test.containsNaN && test.keys.size > 0

  /** Returns the heap that the evidence of a column of these files would hold, in bytes. */
  def sizeOf(files: Array[FileEvidence]): Long =
    160 + files.iterator.map(8 + BytesPerRowGroup * _.footer.numRowGroups).sum

  /**
   * Returns the evidence of a column, of the type in which most files store it. Returns None if no
   * file stores it with one value in each row, or if that type is BOOLEAN.
   */
  def of(
      files: Array[FileEvidence],
      path: ColumnPath,
      caseSensitive: Boolean): Option[ListingColumn] = {
    val columns = resolve(files, path, caseSensitive)
    val kinds = files.indices.filter(columns(_) >= 0).map(i => typeOf(files(i), columns(i)))
    val numFiles = kinds.groupBy(identity).map { case (kind, same) => kind -> same.size }
    kinds.distinct
      .sortBy(-numFiles(_))
      .headOption
      .filter(_.physical != Physical.Bool)
      .map(build(files, _, columns))
  }

  private def typeOf(file: FileEvidence, column: Int): ColumnType =
    file.footer.schema.column(column).columnType

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
      found: Array[Int]): ListingColumn = {
    val columns = files.indices.map { i =>
      val c = found(i)
      if (c >= 0 && typeOf(files(i), c) == kind) c else -1
    }.toArray
    val starts = files.scanLeft(0)(_ + _.footer.numRowGroups)
    val states = new Array[Byte](starts.last)
    val (mins, maxs) = (new Array[Long](starts.last), new Array[Long](starts.last))
    for (i <- files.indices if columns(i) >= 0; g <- 0 until files(i).footer.numRowGroups) {
      val footer = files(i).footer
      val (chunk, at) = (footer.chunk(g, columns(i)), starts(i) + g)
      states(at) = stateOf(files(i), g, columns(i)).toByte
      if (states(at) == BoundsKnown) {
        mins(at) = footer.bounds.minOrdinal(chunk, kind.keys)
        maxs(at) = footer.bounds.maxOrdinal(chunk, kind.keys)
      }
    }
    new ListingColumn(files, kind, columns, starts, states, mins, maxs)
  }

  private def stateOf(file: FileEvidence, rowGroup: Int, column: Int): Int = {
    val footer = file.footer
    val chunk = footer.chunk(rowGroup, column)
    if (footer.numRows(rowGroup) == 0) AllNull
    else if (footer.isUnreadable(chunk)) Undecided
    else if (footer.isAllNull(rowGroup, column)) AllNull
    else if (footer.bounds.isKnown(chunk)) BoundsKnown
    else BoundsUnknown
  }
}
