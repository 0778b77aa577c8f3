package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  ExprId,
  InputFileBlockLength,
  InputFileBlockStart
}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.files.{FileColumns, LateKeys, PrunedFileIndex, ScanColumns}
import io.sbbf.spark.physical.PhysicalScan
import io.sbbf.spark.util.KernelChoice

/**
 * Replaces the files of the scans of one stage by those that might hold a key.
 *
 * @param stage the plan of the stage
 */
private[late] final class ScanNarrowing(stage: SparkPlan, conf: SQLConf) {

  private lazy val readsBlocks: Boolean = stage.exists(_.expressions.exists(_.exists {
    case InputFileBlockStart() | InputFileBlockLength() => true
    case _ => false
  }))

  /**
   * Returns the scan of what might hold a key, or the scan itself if the keys refute nothing. Stores
   * at the scan why keys did not prune it.
   */
  def narrowed(scan: SparkPlan, candidates: Candidates): SparkPlan = scan match {
    // Spark 4.1 optimizes the last stage again while it runs
    case known if LateReasons.areKnown(known) => known
    case files: FileSourceScanExec =>
      val physical = new PhysicalScan(files, conf)
      if (!physical.isPrunable) files
      else
        narrowed(files, new ScanColumns(files.relation), candidates) { keys =>
          narrowedIndex(physical, keys).map(physical.withIndex)
        }
    case batch: BatchScanExec if !readsBlocks =>
      IcebergBatch.of(batch, conf).fold(scan) { table =>
        narrowed(batch, table.columns, candidates)(table.narrowedBy(_, conf))
      }
    case other => other
  }

  /** @param by returns the scan of what might hold a key, if it holds enough less */
  private def narrowed(scan: SparkPlan, columns: => FileColumns, candidates: Candidates)(
      by: Seq[LateKeys] => Option[SparkPlan]): SparkPlan = {
    def examples(of: Candidate) = of.example.toSeq
    val (usable, others) =
      candidates.all.partition(
        examples(_).exists(e => columns.predicate(Seq(e), scan.output).canPrune))
    usable.foreach(_.start())
    val resolved = usable.map(_.resolved)
    val keys = resolved.collect { case Right(found) => found }.map(independent(scan, _))
    val narrower = if (keys.isEmpty) None else by(keys)
    val useless = if (narrower.isEmpty) keys.map(k => s"${k.description}: no benefit") else Nil
    val unresolved = resolved.collect { case Left(reason) => reason }
    val unusable = others.flatMap(o => columns.unused(examples(o), scan.output))
    val reasons = candidates.reasons ++ unusable ++ unresolved ++ useless
    (scan +: narrower.toSeq).foreach(LateReasons.set(_, reasons))
    narrower.getOrElse(scan)
  }

  /**
   * Returns the keys with the columns' names in the relation, and without what differs between
   * equal scans: ids and qualifiers of columns. Equal scans then have equal indexes, and Spark can
   * reuse exchanges.
   */
  private def independent(scan: SparkPlan, keys: LateKeys): LateKeys = {
    val named = SparkInternals.normalize(Seq(keys.filter), scan.output).head
    keys.copy(filter = named.transform { case a: AttributeReference =>
      val place = scan.output.indexWhere(_.exprId == a.exprId)
      // the metadata may hold the field's id
      val metadata = scan.output(place).metadata
      AttributeReference(a.name, a.dataType, a.nullable, metadata)(ExprId(place.toLong), Nil)
    })
  }

  /** Returns an index of what might hold the keys, if it holds enough less than was planned. */
  private def narrowedIndex(
      physical: PhysicalScan,
      keys: Seq[LateKeys]): Option[PrunedFileIndex] = {
    KernelChoice.start()
    val before = physical.index(readsBlocks)
    // Spark's own format would read what is left out of a plan that preserves splits
    if (before.preserveSplits && physical.needsIndex) None
    else narrowedIndex(physical, before, keys)
  }

  private def narrowedIndex(
      physical: PhysicalScan,
      before: PrunedFileIndex,
      keys: Seq[LateKeys]): Option[PrunedFileIndex] = {
    val index = before.narrowedBy(keys, physical.selectsPartition)
    val found = index.prune(physical.partitionFilters, physical.dataFilters)
    val isWorthIt = before.selection match {
      case Some(planned) if !physical.choosesPartitions => found.keptBytes < planned.keptBytes
      // Spark's own format class is worth more than a few row groups
      case _ => found.keptBytes <= found.filesBytes - found.filesBytes / 50
    }
    if (isWorthIt) Some(index) else None
  }
}
