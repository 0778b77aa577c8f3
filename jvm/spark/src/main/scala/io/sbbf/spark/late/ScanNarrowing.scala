package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  ExprId,
  InputFileBlockLength,
  InputFileBlockStart
}
import org.apache.spark.sql.execution.{FilterExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.scan.{FileColumns, LateKeys, RunningScan, ScanFormat}

/**
 * Replaces the files of the scans of one stage by those that might hold a key.
 *
 * @param stage the plan of the stage
 */
private[late] final class ScanNarrowing(
    stage: SparkPlan,
    formats: Seq[ScanFormat],
    conf: SQLConf) {

  private lazy val readsBlocks: Boolean = stage.exists(_.expressions.exists(_.exists {
    case InputFileBlockStart() | InputFileBlockLength() => true
    case _ => false
  }))

  /** Returns the candidates that could prune a scan, none for another node. */
  def usable(node: SparkPlan, candidates: Candidates): Seq[Candidate] =
    if (candidates.all.isEmpty) Nil
    else
      running(node).toSeq.flatMap { scan =>
        candidates.all.filter(isUsable(_, scan.columns, node))
      }

  /**
   * Returns the scan of what might hold a key, or the node itself if the keys refute nothing or it is
   * no scan. Stores at the scan why keys did not prune it.
   */
  def narrowed(node: SparkPlan, candidates: Candidates): SparkPlan =
    // Spark 4.1 optimizes the last stage again while it runs
    if (LateReasons.areKnown(node)) LateReasons.result(node)
    else running(node).fold(node)(narrowed(node, _, candidates))

  private def running(node: SparkPlan): Option[RunningScan] =
    formats.iterator
      .map(_.runningScanOf(node, readsBlocks, conf))
      .collectFirst { case Some(running) => running }

  private def isUsable(candidate: Candidate, columns: FileColumns, scan: SparkPlan): Boolean =
    candidate.example.exists(e => columns.predicate(Seq(e), scan.output).canPrune)

  private def narrowed(
      scan: SparkPlan,
      running: RunningScan,
      candidates: Candidates): SparkPlan = {
    lazy val columns = running.columns
    val (usable, others) = candidates.all.partition(isUsable(_, columns, scan))
    usable.foreach(_.start())
    val resolved = usable.map(candidate => candidate -> candidate.resolved)
    val known = resolved.collect { case (candidate, Right(keys)) => candidate -> keys }
    val keys = known.map { case (_, keys) => independent(scan, keys) }
    val narrower = if (keys.isEmpty) None else running.narrowedBy(keys)
    val useless = if (narrower.isEmpty) keys.map(k => s"${k.description}: no benefit") else Nil
    val unresolved = resolved.collect { case (_, Left(reason)) => reason }
    val unusable = others.flatMap(o => columns.unused(o.example.toSeq, scan.output))
    val reasons = candidates.reasons ++ unusable ++ unresolved ++ useless
    (scan +: narrower.toSeq).foreach(LateReasons.set(_, reasons))
    val result = filtered(narrower.getOrElse(scan), known)
    LateReasons.setResult(scan, result)
    result
  }

  private def filtered(scan: SparkPlan, keys: Seq[(Candidate, LateKeys)]): SparkPlan =
    keys
      .collect { case (candidate, values) if candidate.filtersRows => values.filter }
      .reduceOption(And(_, _))
      .fold(scan)(FilterExec(_, scan))

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
}
