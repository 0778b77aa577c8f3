package io.sbbf.parquet.append

import io.sbbf.parquet.write.FilterRequest

/**
 * Specifies changes to the bloom filters of one file.
 *
 * @param add the filters for chunks that have none, or whose filters are dropped
 * @param drop the columns whose filters are dropped, by their numbers among the leaves of the
 *   schema
 */
private[sbbf] final case class FileEdit(add: Seq[FilterRequest], drop: Seq[Int])
