package io.sbbf.parquet
package attach

import org.apache.parquet.format.{ColumnMetaData, FileMetaData}

import io.sbbf.parquet.chunk.ChunkLayout
import io.sbbf.parquet.footer.FooterBuilder
import io.sbbf.parquet.write.FilterRequest

/** What somebody wants of the bloom filters of one file that exists. */
private[sbbf] sealed trait FilterWish

private[sbbf] object FilterWish {

  /** @param replaced whether also in place of filters that are there */
  final case class Add(requests: Seq[FilterRequest], replaced: Boolean) extends FilterWish

  /** @param columns by their numbers among the leaves of the schema */
  final case class Drop(columns: Seq[Int]) extends FilterWish
}

/**
 * What is to be done to the filters of a file.
 *
 * @param chunks that get filters
 * @param gone the chunks, by row group and column, whose filters the footer is to name no more
 */
private[sbbf] final case class FilePlan(
    chunks: Seq[ChunkPlan],
    gone: Seq[(Int, Int)],
    rowGroups: Int) {
  def isNothing: Boolean = chunks.isEmpty && gone.isEmpty

  /** Of the chunks that must be read, compressed. */
  def bytesToRead: Long = chunks.map(_.bytes).sum
}

/**
 * @param isAllDictionary whether all values of the chunk are in its dictionary
 * @param bytes of the chunk, compressed
 * @param values of the chunk, nulls among them
 */
private[sbbf] final case class ChunkPlan(
    rowGroup: Int,
    request: FilterRequest,
    isAllDictionary: Boolean,
    bytes: Long,
    values: Long) {
  def chunk: (Int, Int) = (rowGroup, request.column)
}

private[attach] object FilePlan {

  /**
   * @param metadata the footer of the file
   * @param paths of the leaves of its schema
   * @throws UnusableFile with the reason why the file must not be changed
   */
  def of(metadata: FileMetaData, paths: IndexedSeq[Seq[String]], wish: FilterWish): FilePlan = {
    ChunkLayout.check(metadata, paths)
    val (chunks, gone) = wish match {
      case FilterWish.Add(requests, replaced) =>
        (
          added(metadata, requests, replaced),
          if (replaced) existing(metadata, requests.map(_.column)) else Nil)
      case FilterWish.Drop(dropped) => (Nil, existing(metadata, dropped))
    }
    FilePlan(chunks, gone, metadata.getRow_groups.size)
  }

  private def added(
      metadata: FileMetaData,
      requests: Seq[FilterRequest],
      replaced: Boolean): Seq[ChunkPlan] =
    for {
      rowGroup <- 0 until metadata.getRow_groups.size
      if metadata.getRow_groups.get(rowGroup).getNum_rows > 0
      request <- requests
      chunk = chunkOf(metadata, rowGroup, request.column)
      if replaced || !chunk.isSetBloom_filter_offset
      isAllDictionary = FooterBuilder.isAllDictionary(chunk)
      if request.besideDictionary || !isAllDictionary
    } yield ChunkPlan(
      rowGroup,
      request,
      isAllDictionary,
      chunk.getTotal_compressed_size,
      chunk.getNum_values)

  private def existing(metadata: FileMetaData, columns: Seq[Int]): Seq[(Int, Int)] =
    for {
      rowGroup <- 0 until metadata.getRow_groups.size
      column <- columns
      if chunkOf(metadata, rowGroup, column).isSetBloom_filter_offset
    } yield (rowGroup, column)

  private def chunkOf(metadata: FileMetaData, rowGroup: Int, column: Int): ColumnMetaData =
    metadata.getRow_groups.get(rowGroup).getColumns.get(column).getMeta_data
}
