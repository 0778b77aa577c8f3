package io.sbbf.parquet.append

import org.apache.parquet.format.{ColumnMetaData, FileMetaData}

import io.sbbf.parquet.chunk.ChunkLayout
import io.sbbf.parquet.footer.FooterBuilder
import io.sbbf.parquet.write.FilterRequest

/**
 * Plans the changes to the filters of a file.
 *
 * @param chunks the chunks that get filters
 * @param dropped the chunks, by row group and column, whose filters the new footer no longer
 *   names
 * @param rowGroups the number of row groups of the file
 * @param hasOffsetIndexes whether tasks find the pages of all its column chunks
 */
private[sbbf] final case class FilePlan(
    chunks: Seq[ChunkPlan],
    dropped: Seq[(Int, Int)],
    rowGroups: Int,
    hasOffsetIndexes: Boolean) {
  def isNothing: Boolean = chunks.isEmpty && dropped.isEmpty

  /** The compressed size of the chunks that must be read. */
  def bytesToRead: Long = chunks.map(_.bytes).sum
}

private[parquet] object FilePlan {

  /**
   * Returns the plan of an edit.
   *
   * @param metadata the footer of the file
   * @param paths the paths of the leaves of the file's schema
   * @throws UnusableFile with the reason why the file must not be changed
   */
  def of(metadata: FileMetaData, paths: IndexedSeq[Seq[String]], edit: FileEdit): FilePlan = {
    ChunkLayout.check(metadata, paths)
    val rowGroups = metadata.getRow_groups
    FilePlan(
      added(metadata, edit),
      existing(metadata, edit.drop),
      rowGroups.size,
      rowGroups.stream.allMatch(_.getColumns.stream.allMatch(_.isSetOffset_index_offset))
    )
  }

  private def added(metadata: FileMetaData, edit: FileEdit): Seq[ChunkPlan] =
    for {
      rowGroup <- 0 until metadata.getRow_groups.size
      if metadata.getRow_groups.get(rowGroup).getNum_rows > 0
      request <- edit.add
      chunk = chunkOf(metadata, rowGroup, request.column)
      if edit.drop.contains(request.column) || !chunk.isSetBloom_filter_offset
      isAllDictionary = FooterBuilder.isAllDictionary(chunk)
      if request.withDictionary || !isAllDictionary
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

  def chunkOf(metadata: FileMetaData, rowGroup: Int, column: Int): ColumnMetaData =
    metadata.getRow_groups.get(rowGroup).getColumns.get(column).getMeta_data
}

/**
 * Plans the filter of one column chunk.
 *
 * @param rowGroup the row group's number in the file
 * @param request the wanted filter
 * @param isAllDictionary whether all values of the chunk are in its dictionary
 * @param bytes the compressed size of the chunk
 * @param values the number of values of the chunk, including nulls
 */
private[sbbf] final case class ChunkPlan(
    rowGroup: Int,
    request: FilterRequest,
    isAllDictionary: Boolean,
    bytes: Long,
    values: Long) {
  def chunk: (Int, Int) = (rowGroup, request.column)
}

/**
 * Specifies changes to the bloom filters of one file.
 *
 * @param add the filters for chunks that have none, or whose filters are dropped
 * @param drop the columns whose filters are dropped, by their numbers among the leaves of the
 *   schema
 */
private[sbbf] final case class FileEdit(add: Seq[FilterRequest], drop: Seq[Int])
