package io.sbbf.orc.prune

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus

import io.sbbf.orc.eval.ReadSchema
import io.sbbf.orc.file.OrcFileReader
import io.sbbf.parquet.pass.{FileEvaluator, PruneRequest, PruningWarnings}
import io.sbbf.parquet.prune.{FileEvaluators, FileHits, FooterCache}

/**
 * Evaluates predicates on ORC files. In its results, a stripe stands for a row group: tasks can leave
 * out whole stripes only. An index has ORC files as one zone each.
 *
 * @param table the columns that the scan reads
 */
private[sbbf] final class OrcEvaluators(
    hadoopConf: Configuration,
    table: ReadSchema,
    cache: FooterCache,
    warnings: PruningWarnings)
    extends FileEvaluators {

  override def useRowGroupHits: Boolean = false

  override def of(
      files: IndexedSeq[FileStatus],
      request: PruneRequest,
      hitsOf: Int => FileHits,
      remembers: Boolean): FileEvaluator =
    new OrcFiles(
      files,
      request,
      table,
      OrcFileReader.settings(hadoopConf),
      cache.pass(request.limits.cacheBytes),
      warnings)
}
