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
 * A Parquet file that exists and whose bloom filters are to change, without any of its data being encoded anew.
 * All of the old file is the beginning of the new one: whoever knows the old length, as a query does that was
 * planned before, finds the old footer where it was. Behind it come the filters, then the footer that names them.
 *
 * @param file as it was listed; each method fails once it is another
 */
private[sbbf] final class FilterAppender(file: FileStatus, conf: Configuration) {
  import FilterAppender._

  private val path = file.getPath
  private val stored = new StoredFile(file, conf)

  private lazy val metadata = stored.metadata().metadata

  /**
   * @throws UnusableFile with the reason why this file must not be changed
   * @throws java.io.IOException when it cannot be read
   */
  lazy val schema: MessageType = {
    metadata // whose errors are ours, before parquet-mr looks at the file
    stored.reading(_.getFileMetaData.getSchema)
  }

  /** What is to be done. Throws as [[schema]] does. */
  def plan(edit: FileEdit): FilePlan = {
    val paths = schema.getPaths.toArray(Array.empty[Array[String]]).toIndexedSeq.map(_.toSeq)
    val plan = FilePlan.of(metadata, paths, edit)
    if (!plan.isNothing) AtomicReplace.requireSupported(file, conf)
    plan
  }

  /**
   * The filters of some chunks; the chunks with too few values for one have none.
   *
   * @throws java.io.IOException when they cannot be read, or the file has changed
   */
  def filters(chunks: Seq[ChunkPlan]): Seq[ChunkFilter] = reading(chunks)(_.toVector)

  private def reading[T](chunks: Seq[ChunkPlan])(ask: Iterator[ChunkFilter] => T): T = {
    check()
    stored.reading { reader =>
      val values = new ChunkValues(reader)
      ask(chunks.iterator.flatMap { plan =>
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
   * Whether a file of so many bytes has become this one by getting the filters of some chunks and losing those of
   * others, by row group and column: new filters lie behind what the file was.
   *
   * @return how many of the chunks have filters; the others have too few values for one
   * @throws java.io.IOException when it cannot be read
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

  /** 0 of a chunk without a filter, `None` if there is no such chunk. */
  private def filterOffset(chunk: (Int, Int)): Option[Long] = {
    val (rowGroup, column) = chunk
    if (rowGroup >= metadata.getRow_groups.size || column >= schema.getColumns.size) None
    else Some(FilePlan.chunkOf(metadata, rowGroup, column).getBloom_filter_offset)
  }

  /**
   * Puts the file with filters of these chunks in its place. It is copied while they are read.
   *
   * @param dropped the chunks, by row group and column, whose filters are named no more
   * @return nothing, and the file is as it was, where no filter is made and none dropped
   * @throws java.io.IOException when that cannot be done, or the file has changed, and then it is as it was
   */
  def attach(chunks: Seq[ChunkPlan], dropped: Seq[(Int, Int)]): Option[NewFilters] =
    reading(chunks)(rewrite(_, dropped))

  /** As [[attach]] does, with filters that were made before. */
  def rewrite(filters: Iterator[ChunkFilter], dropped: Seq[(Int, Int)]): Option[NewFilters] = {
    check()
    // copying begins with the first filter, or files whose chunks get none would be copied for nothing
    if (filters.isEmpty && dropped.isEmpty) None
    else Some(rewritten(filters, dropped.toSet))
  }

  private def rewritten(filters: Iterator[ChunkFilter], dropped: Set[(Int, Int)]): NewFilters = {
    val old = stored.metadata()
    val newlyTold = unsizedFilters(old)
    def others(rowGroup: Int, column: Int): FilterLocation =
      if (dropped((rowGroup, column))) FilterLocation.Dropped
      else newlyTold.getOrElse((rowGroup, column), FilterLocation.LookupCost)
    lazy val found = filters.toVector
    lazy val end = FooterRewriter.appended(old.thrift, file.getLen, found, others)
    val in = stored.store.open(path, CopyBytes)
    try AtomicReplace.of(file, conf).write(copy(in, _), () => end, () => check())
    finally in.close()
    NewFilters(
      found.size,
      found.map(_.bitset.length.toLong).sum,
      file.getLen + end.map(_.length.toLong).sum)
  }

  /**
   * The filters whose lengths the footer does not tell: what stands behind such a filter, by which it is measured,
   * will not be named any more. Those that are not believed are as they were.
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
        case _ => (rowGroup, column) -> FilterLocation.LookupCost
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
    if (in.getPos != file.getLen) throw new IOException(s"$path has another length than before")
  }

  private def check(): Unit =
    if (!FileVersion.of(stored.store.getFileStatus(path)).isSameAs(FileVersion.of(file)))
      throw new IOException(s"$path has changed meanwhile")
}

private object FilterAppender {

  /** Each is a call of the operating system, or more. */
  private final val CopyBytes = 1 << 20
}
