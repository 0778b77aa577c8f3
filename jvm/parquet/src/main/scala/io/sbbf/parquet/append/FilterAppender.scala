package io.sbbf.parquet.append

import java.io.{IOException, InterruptedIOException, OutputStream}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus}
import org.apache.parquet.schema.MessageType

import io.sbbf.parquet.chunk.{FilterReader, FilterState}
import io.sbbf.parquet.footer.{FooterBuilder, LocatedMetadata, StoredFile}
import io.sbbf.parquet.model.FileVersion
import io.sbbf.parquet.values.ChunkValues
import io.sbbf.parquet.write.{ChunkFilter, FilterBuilder, FilterLocation, FooterRewriter}

/**
 * Changes the bloom filters of an existing Parquet file without encoding its data again.
 *
 * The new file begins with the complete old file. A query that was planned earlier knows the old
 * length, and so finds the old footer in its place. The new filters follow, and then the footer
 * that names them.
 *
 * @param file the listed status of the file. Methods that read or write data fail if the file has
 *   changed since.
 */
private[sbbf] final class FilterAppender(file: FileStatus, conf: Configuration) {
  import FilterAppender._

  private val path = file.getPath
  private val stored = new StoredFile(file, conf)

  private lazy val metadata = stored.metadata().metadata

  /**
   * The schema of the file.
   *
   * @throws UnusableFile with the reason why this file must not be changed
   * @throws java.io.IOException if the file cannot be read
   */
  lazy val schema: MessageType = {
    metadata // read first, so that its errors precede those of parquet-mr
    stored.reading(_.getFileMetaData.getSchema)
  }

  /** Returns the plan of an edit. Throws as [[schema]] does. */
  def plan(edit: FileEdit): FilePlan = {
    val paths = schema.getPaths.toArray(Array.empty[Array[String]]).toIndexedSeq.map(_.toSeq)
    val plan = FilePlan.of(metadata, paths, edit)
    if (!plan.isNothing) AtomicReplace.requireSupported(file, conf)
    plan
  }

  /**
   * Returns the filters of some chunks. A chunk with too few values has none.
   *
   * @throws java.io.IOException if the chunks cannot be read, or the file has changed
   */
  def filters(chunks: Seq[ChunkPlan]): Seq[ChunkFilter] = reading(chunks)(_.toVector)

  private def reading[T](chunks: Seq[ChunkPlan])(use: Iterator[ChunkFilter] => T): T = {
    check()
    stored.reading { reader =>
      val values = new ChunkValues(reader)
      use(chunks.iterator.flatMap { plan =>
        if (Thread.interrupted()) throw new InterruptedIOException("cancelled")
        filter(plan, values)
      })
    }
  }

  private def filter(plan: ChunkPlan, values: ChunkValues): Option[ChunkFilter] = {
    val builder = new FilterBuilder(plan.request)
    values.addTo(builder.values, plan.rowGroup, plan.request.column, plan.isAllDictionary)
    builder.result().map(ChunkFilter(plan.rowGroup, plan.request.column, _))
  }

  /**
   * Checks whether an edit has already been applied to a file of `length` bytes, so that it
   * became this file. New filters are after the end of the old file.
   *
   * @param chunks the chunks that the edit gives filters
   * @param dropped the chunks, by row group and column, whose filters the edit drops
   * @return the number of `chunks` with filters, as the others have too few values; None if the
   *   edit was not applied
   * @throws java.io.IOException if the file cannot be read
   */
  def isAlreadyApplied(
      length: Long,
      chunks: Seq[ChunkPlan],
      dropped: Seq[(Int, Int)]): Option[Int] = {
    val (filtered, bare) = chunks.partition(plan => filterOffset(plan.chunk).exists(_ > 0))
    val isAfter = file.getLen > length &&
      filtered.forall(plan => filterOffset(plan.chunk).exists(_ >= length)) &&
      dropped.forall(filterOffset(_).exists(offset => offset == 0 || offset >= length)) &&
      bare.forall(plan => filterOffset(plan.chunk).isDefined) && filters(bare).isEmpty
    if (isAfter) Some(filtered.size) else None
  }

  /** Returns 0 for a chunk without a filter, and None if there is no such chunk. */
  private def filterOffset(chunk: (Int, Int)): Option[Long] = {
    val (rowGroup, column) = chunk
    if (rowGroup >= metadata.getRow_groups.size || column >= schema.getColumns.size) None
    else Some(FilePlan.chunkOf(metadata, rowGroup, column).getBloom_filter_offset)
  }

  /**
   * Replaces the file by one with filters of these chunks. It copies the file while it reads
   * them.
   *
   * @param dropped the chunks, by row group and column, whose filters the new footer no longer
   *   names
   * @return None if no filter is built and none is dropped; the file is unchanged then
   * @throws java.io.IOException if the file cannot be replaced or has changed; it is unchanged
   *   then
   */
  def addFilters(chunks: Seq[ChunkPlan], dropped: Seq[(Int, Int)]): Option[NewFilters] =
    reading(chunks)(rewrite(_, dropped))

  /** Replaces the file as [[addFilters]] does, with given filters. */
  def rewrite(filters: Iterator[ChunkFilter], dropped: Seq[(Int, Int)]): Option[NewFilters] = {
    check()
    // The copy starts with the first filter, so that a file without new filters is not copied.
    if (filters.isEmpty && dropped.isEmpty) None
    else Some(rewritten(filters, dropped.toSet))
  }

  private def rewritten(filters: Iterator[ChunkFilter], dropped: Set[(Int, Int)]): NewFilters = {
    val old = stored.metadata()
    val newlySized = unsizedFilters(old)
    def others(rowGroup: Int, column: Int): FilterLocation =
      if (dropped((rowGroup, column))) FilterLocation.Dropped
      else newlySized.getOrElse((rowGroup, column), FilterLocation.Unchanged)
    lazy val found = filters.toVector
    lazy val end = FooterRewriter.appended(old.thrift, file.getLen, found, others)
    val in = stored.fileSystem.open(path, CopyBytes)
    try AtomicReplace.of(file, conf).write(copy(in, _), () => end, () => check())
    finally in.close()
    NewFilters(
      found.size,
      found.map(_.bitset.length.toLong).sum,
      file.getLen + end.map(_.length.toLong).sum)
  }

  /**
   * Returns the locations of the filters whose lengths are missing in the footer. The length of
   * such a filter follows from what is after it, which the new footer may no longer name.
   * Rejected filters stay unchanged.
   */
  private def unsizedFilters(old: LocatedMetadata): Map[(Int, Int), FilterLocation] = {
    val footer = new FooterBuilder(old.metadata, old.start).build()
    val bytes = stored.open()
    try {
      val places = for {
        rowGroup <- 0 until footer.numRowGroups
        column <- 0 until footer.numColumns
        chunk = FilePlan.chunkOf(old.metadata, rowGroup, column)
        if chunk.isSetBloom_filter_offset && !chunk.isSetBloom_filter_length
      } yield new FilterReader(footer).read(rowGroup, column, bytes) match {
        case FilterState.Present(offset, headerBytes, bitset) =>
          (rowGroup, column) -> FilterLocation.At(offset, headerBytes + bitset.length)
        case _ => (rowGroup, column) -> FilterLocation.Unchanged
      }
      places.toMap
    } finally bytes.close()
  }

  private def copy(in: FSDataInputStream, out: OutputStream): Unit = {
    val buffer = new Array[Byte](CopyBytes)
    var length = in.read(buffer)
    while (length >= 0) {
      if (Thread.interrupted()) throw new InterruptedIOException("cancelled")
      out.write(buffer, 0, length)
      length = in.read(buffer)
    }
    if (in.getPos != file.getLen)
      throw new IOException(s"the length of $path has changed meanwhile")
  }

  private def check(): Unit =
    if (!FileVersion.of(stored.fileSystem.getFileStatus(path)).isSameAs(FileVersion.of(file)))
      throw new IOException(s"$path has changed meanwhile")
}

private object FilterAppender {

  /** The buffer size of the copy. Each buffer costs at least one system call. */
  private final val CopyBytes = 1 << 20
}

/**
 * The filters that a file got.
 *
 * @param count the number of new filters
 * @param filterBytes the size of their bitsets
 * @param bytes the new length of the file
 */
private[sbbf] final case class NewFilters(count: Int, filterBytes: Long, bytes: Long)
