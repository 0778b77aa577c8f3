package io.sbbf.parquet.append

import io.sbbf.parquet.write.FilterRequest

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
