package io.sbbf.spark.pushdown

import org.apache.spark.sql.sources.Filter

/**
 * States what parquet-mr may evaluate while tasks read the files of a scan. [[PushdownGuard]]
 * decides it.
 *
 * @param options the read options that disable parquet-mr's checks where Spark's own format class
 *   reads the files. That class evaluates the filters as Spark pushes them.
 * @param anyFile the filters, some of them rewritten, for files of [[PushdownLevel.AnyFile]]
 * @param asDeclared the filters for files of [[PushdownLevel.AsDeclared]]
 * @param safeColumns the filters for files of [[PushdownLevel.SafeColumns]]
 * @param disablesBloom whether tasks must not evaluate parquet-mr's bloom filters
 * @param disablesColumnIndex whether tasks must not leave out pages by parquet-mr's column index
 * @param needsUnfilteredRead whether some files may be of [[PushdownLevel.Nothing]]
 */
private[spark] final case class ReadPolicy(
    options: Map[String, String],
    anyFile: Seq[Filter],
    asDeclared: Seq[Filter],
    safeColumns: Seq[Filter],
    disablesBloom: Boolean,
    disablesColumnIndex: Boolean,
    needsUnfilteredRead: Boolean) {

  /** Returns whether tasks read files of different levels with different filters. */
  def differsByFile: Boolean = anyFile != asDeclared || anyFile != safeColumns
}

private[spark] object ReadPolicy {

  /** Disables every check by which parquet-mr drops row groups, pages or rows. */
  val NoParquetFilters: Map[String, String] =
    Seq("stats", "dictionary", "bloom", "columnindex", "record-level")
      .map(l => s"parquet.filter.$l.enabled" -> "false")
      .toMap

  /** Disables parquet-mr's bloom filter check. */
  val NoBloom: Map[String, String] = Map("parquet.filter.bloom.enabled" -> "false")

  /** Disables parquet-mr's choice of pages. */
  val NoColumnIndex: Map[String, String] = Map("parquet.filter.columnindex.enabled" -> "false")

  /** Pushes nothing, for a scan of which nothing is known. */
  val Nothing: ReadPolicy =
    ReadPolicy(
      NoParquetFilters,
      Nil,
      Nil,
      Nil,
      disablesBloom = true,
      disablesColumnIndex = true,
      needsUnfilteredRead = false)
}
