package io.sbbf.parquet.prune

/** How a pass over files may proceed. */
private[sbbf] final case class PlanningLimits(
    threads: Int,
    sampleFiles: Int,
    tailBytes: Int,
    cacheBytes: Long)
