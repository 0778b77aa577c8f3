package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

/** Matches a pruned relation of an optimized plan, and gives its relation and its index. */
private[spark] object PrunedScan {
  def unapply(plan: LogicalPlan): Option[(HadoopFsRelation, PrunedFileIndex)] = plan match {
    case relation: LogicalRelation =>
      relation.relation match {
        case files: HadoopFsRelation =>
          files.location match {
            case index: PrunedFileIndex => Some((files, index))
            case _ => None
          }
        case _ => None
      }
    case _ => None
  }
}
