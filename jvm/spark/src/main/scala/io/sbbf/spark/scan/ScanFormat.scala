package io.sbbf.spark.scan

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

/** A format of tables whose scans are pruned. */
private[spark] trait ScanFormat {

  /** Whether its scans have their files before the optimizer orders joins, and not only at its end. */
  def isListedEarly: Boolean

  /** Returns whether the scans of a plan at the end of the optimizer have their files. */
  def isListedIn(plan: LogicalPlan): Boolean

  /** Returns the scan of a leaf, None if it is of another format. Reads no file. */
  def scanOf(leaf: LeafNode, conf: SQLConf): Option[PrunableScan]

  /**
   * Returns the scan of a node, None if it is of another format or is never pruned.
   *
   * @param readsBlocks whether expressions of the query see how files are cut into splits
   */
  def runningScanOf(node: SparkPlan, readsBlocks: => Boolean, conf: SQLConf): Option[RunningScan]
}

private[spark] object ScanFormat {

  /** Returns the scan of a leaf in the first format that has one. */
  def scanOf(formats: Seq[ScanFormat], leaf: LeafNode, conf: SQLConf): Option[PrunableScan] =
    formats.iterator.map(_.scanOf(leaf, conf)).collectFirst { case Some(scan) => scan }
}

/** A scan in a logical plan. */
private[spark] trait PrunableScan {

  /** What people call the table or the files. */
  def name: String

  /** The folders and files of the table that the scan reads. */
  def roots: Seq[Path]

  def columns: FileColumns

  /**
   * Returns why the scan is never pruned, if it is not.
   *
   * @param observesSplits whether the query sees how files are cut into splits
   */
  def whyNever(observesSplits: => Boolean): Option[String]

  /** Returns why no filter can prune the scan, if nothing may rule out its files. May read an index. */
  def whyNoEvidence: Option[String]

  /**
   * Returns the scan of what the conjuncts leave, or the leaf itself.
   *
   * @param conjuncts the conjuncts above the scan, in terms of its output
   */
  def prunedBy(conjuncts: Seq[Expression], observesSplits: => Boolean): LeafNode

  /** Returns the scan as it is read when pruning has failed. */
  def unpruned: LeafNode

  /**
   * Returns what pruning did to the scan, None if it was not pruned.
   *
   * @param running the nodes of the physical plan that read it
   */
  def outcome(running: Seq[SparkPlan]): Option[PrunedTable]
}

/** A scan in the physical plan of a query that runs. */
private[spark] trait RunningScan {
  def columns: FileColumns

  /** Returns the scan of what might hold one of the keys, None if that is not much less. */
  def narrowedBy(keys: Seq[LateKeys]): Option[SparkPlan]
}
