package io.sbbf.orc.prune

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.orc.eval.ReadSchema
import io.sbbf.orc.file.OrcFileReader
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.pass.{FilesPass, ListingPruner, PlanningLimits, PruningWarnings}
import io.sbbf.parquet.result.PrunedFiles

/**
 * Finds the stripes of ORC files that might hold a row that matches a predicate. In its results, a
 * stripe stands for a row group: tasks can leave out whole stripes only.
 *
 * @param table the columns that the scan reads
 */
private[sbbf] final class OrcPruner(
    hadoopConf: Configuration,
    table: ReadSchema,
    limits: PlanningLimits,
    cache: EvidenceCache,
    warnings: PruningWarnings)
    extends ListingPruner(warnings) {

  override protected def pruneUsable(
      files: IndexedSeq[FileStatus],
      predicate: RowGroupPredicate,
      lookup: ColumnLookup,
      sampleFirst: Boolean): PrunedFiles = {
    val evaluator = new OrcFiles(
      files,
      predicate,
      lookup,
      table,
      OrcFileReader.settings(hadoopConf),
      // the evidence of all threads together has to fit into the cache
      mostRetained = limits.cacheBytes / limits.threads,
      cache.pass(limits.cacheBytes),
      warnings
    )
    new FilesPass(files, limits, warnings).run(evaluator, sampleFirst)
  }
}
