package io.sbbf.spark.files

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

/** Matches a pruned relation of an optimized plan, and gives its relation and its index. */
private[spark] object PrunedFileScan {
  private val Tag = TreeNodeTag[PrunedFileIndex]("io.sbbf.spark.files.PrunedFileScan")

  def unapply(plan: LogicalPlan): Option[(HadoopFsRelation, PrunedFileIndex)] = plan match {
    case FileRelation(scan, files) =>
      files.location match {
        case index: PrunedFileIndex => Some((files, index))
        case _ => scan.getTagValue(Tag).map((files, _))
      }
    case _ => None
  }

  /**
   * Marks a relation as pruned by an index that only the physical plan gets. Other rules of the
   * optimizer and of the planner still find the relation's own index.
   */
  def mark(scan: LogicalRelation, index: PrunedFileIndex): Unit = scan.setTagValue(Tag, index)
}

/** Matches a relation of files. */
private[spark] object FileRelation {
  def unapply(plan: LogicalPlan): Option[(LogicalRelation, HadoopFsRelation)] = plan match {
    case scan: LogicalRelation =>
      Some(scan.relation).collect { case files: HadoopFsRelation => (scan, files) }
    case _ => None
  }
}
