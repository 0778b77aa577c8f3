package io.sbbf.parquet.append

import io.sbbf.parquet.write.FilterRequest

/**
 * What is to become of the bloom filters of one file.
 *
 * @param add filters that chunks are to get, if they have none or lose theirs
 * @param drop columns whose filters go, by their numbers among the leaves of the schema
 */
private[sbbf] final case class FileEdit(add: Seq[FilterRequest], drop: Seq[Int])
