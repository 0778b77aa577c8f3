package io.sbbf.parquet.append

import io.sbbf.parquet.write.FilterRequest

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
