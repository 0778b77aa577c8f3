package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  BoundReference,
  ExprId,
  InputFileBlockLength,
  InputFileBlockStart,
  Predicate
}
import org.apache.spark.sql.execution.{ExecSubqueryExpression, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.physical.PhysicalScan
import io.sbbf.spark.scan.{LateKeys, PrunedFileIndex, ScanColumns}
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
  def narrowed(scan: FileSourceScanExec, candidates: Candidates): SparkPlan = {
    val files = new PhysicalScan(scan, conf)
    // Spark 4.1 optimizes the last stage again while it runs
    if (!files.isPrunable || LateReasons.areKnown(scan)) scan
    else {
      val (usable, others) = candidates.all.partition(canPrune(scan, _))
      usable.foreach(_.start())
      val resolved = usable.map(_.resolved)
      val keys = resolved.collect { case Right(found) => found }.map(independent(scan, _))
      val narrower = if (keys.isEmpty) None else narrowedIndex(scan, files, keys)
      val useless = if (narrower.isEmpty) keys.map(k => s"${k.description}: no benefit") else Nil
      val unresolved = resolved.collect { case Left(reason) => reason }
      LateReasons.set(
        scan,
        candidates.reasons ++ others.flatMap(whyNot(scan, _)) ++ unresolved ++ useless)
      narrower.fold[SparkPlan](scan)(files.withIndex)
    }
  }

  /**
   * Returns the keys with the columns' names in the relation, and without what differs between
   * equal scans: ids and qualifiers of columns. Equal scans then have equal indexes, and Spark can
   * reuse exchanges.
   */
  private def independent(scan: FileSourceScanExec, keys: LateKeys): LateKeys = {
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
      scan: FileSourceScanExec,
      files: PhysicalScan,
      keys: Seq[LateKeys]): Option[PrunedFileIndex] = {
    KernelChoice.start()
    val before = files.index(readsBlocks)
    val index = before.narrowedBy(keys, isChosen(scan, files))
    index.listFiles(files.partitionFilters, files.dataFilters)
    Some(index).filter(_.selection.exists { found =>
      before.selection match {
        case Some(planned) if files.runtimePartitionFilters.isEmpty =>
          found.keptBytes < planned.keptBytes
        // Spark's own format class is worth more than a few row groups
        case _ => found.keptBytes <= found.filesBytes - found.filesBytes / 50
      }
    })
  }

  /**
   * Returns whether the scan reads a partition, by the filters whose values Spark finds while the
   * query runs. Spark would find them right before it runs the scan.
   */
  private def isChosen(scan: FileSourceScanExec, files: PhysicalScan): InternalRow => Boolean =
    files.runtimePartitionFilters.reduceOption(And(_, _)) match {
      case None => _ => true
      case Some(filter) =>
        filter.foreach {
          case subquery: ExecSubqueryExpression => subquery.updateResult()
          case _ =>
        }
        val columns = scan.relation.partitionSchema
        val ofValues = filter.transform { case a: AttributeReference =>
          val place = columns.indexWhere(_.name == a.name)
          BoundReference(place, columns(place).dataType, nullable = true)
        }
        Predicate.createInterpreted(ofValues).eval(_)
    }

  private def canPrune(scan: FileSourceScanExec, candidate: Candidate): Boolean =
    candidate.example.exists(e =>
      new ScanColumns(scan.relation).predicate(Seq(e), scan.output).canPrune)

  /** Returns why a candidate cannot prune: its functions and columns. */
  private def whyNot(scan: FileSourceScanExec, candidate: Candidate): Seq[String] =
    new ScanColumns(scan.relation).unused(candidate.example.toSeq, scan.output)
}
