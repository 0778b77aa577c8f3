package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.sbbf.spark.files.PrunedFileIndex

/** Matches a pruned relation of an optimized plan, and gives its relation and its index. */
private[spark] object PrunedScan {
  private val Tag = TreeNodeTag[PrunedFileIndex]("io.sbbf.spark.scan.PrunedScan")

  def unapply(plan: LogicalPlan): Option[(HadoopFsRelation, PrunedFileIndex)] = plan match {
    case relation: LogicalRelation =>
      relation.relation match {
        case files: HadoopFsRelation =>
          files.location match {
            case index: PrunedFileIndex => Some((files, index))
            case _ => relation.getTagValue(Tag).map((files, _))
          }
        case _ => None
      }
    case _ => None
  }

  /**
   * Marks a relation as pruned by an index that only the physical plan gets. Other rules of the
   * optimizer and of the planner still find the relation's own index.
   */
  def mark(scan: LogicalRelation, index: PrunedFileIndex): Unit = scan.setTagValue(Tag, index)
}
