package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  ExprId,
  InputFileBlockLength,
  InputFileBlockStart
}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.scan.{LateKeys, RunningScan, ScanFormat}

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

  /**
   * Returns the scan of what might hold a key, or the node itself if the keys refute nothing or it is
   * no scan. Stores at the scan why keys did not prune it.
   */
  def narrowed(node: SparkPlan, candidates: Candidates): SparkPlan =
    // Spark 4.1 optimizes the last stage again while it runs
    if (LateReasons.areKnown(node)) node
    else
      formats.iterator
        .map(_.runningScanOf(node, readsBlocks, conf))
        .collectFirst { case Some(running) => running }
        .fold(node)(narrowed(node, _, candidates))

  private def narrowed(
      scan: SparkPlan,
      running: RunningScan,
      candidates: Candidates): SparkPlan = {
    lazy val columns = running.columns
    def examples(of: Candidate) = of.example.toSeq
    val (usable, others) =
      candidates.all.partition(
        examples(_).exists(e => columns.predicate(Seq(e), scan.output).canPrune))
    usable.foreach(_.start())
    val resolved = usable.map(_.resolved)
    val keys = resolved.collect { case Right(found) => found }.map(independent(scan, _))
    val narrower = if (keys.isEmpty) None else running.narrowedBy(keys)
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
}
