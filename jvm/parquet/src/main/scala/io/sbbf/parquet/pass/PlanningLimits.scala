package io.sbbf.parquet.pass

/**
 * The limits of a pruning pass over files.
 *
 * @param threads the highest number of threads that read files
 * @param sampleFiles the number of files that are evaluated first; 0 evaluates all files
 * @param cacheBytes the largest size of the footer cache
 * @param seconds the longest time that reading files may take, by the estimate of the first ones; 0 has
 *   no limit
 */
private[sbbf] final case class PlanningLimits(
    threads: Int,
    sampleFiles: Int,
    cacheBytes: Long,
    seconds: Int = 0)
