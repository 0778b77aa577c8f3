package io.sbbf.spark.scan

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  GetStructField,
  InputFileBlockLength,
  InputFileBlockStart
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Filter,
  LeafNode,
  LogicalPlan,
  Project
}
import org.apache.spark.sql.execution.datasources.FileFormat.{FILE_BLOCK_LENGTH, FILE_BLOCK_START}

import io.sbbf.spark.column.MetadataColumn

/** Detects queries that can see how files are cut into splits. */
private[spark] object ObservesSplits {

  def in(plan: LogicalPlan): Boolean =
    hasMetadata(plan) || plan.collectWithSubqueries { case p if showsBlocks(p) => p }.nonEmpty

  private def showsBlocks(node: LogicalPlan): Boolean =
    node.subqueries.exists(hasMetadata) || (node match {
      case _: LeafNode => false
      case _: Project | _: Aggregate | _: Filter => node.expressions.exists(readsBlock)
      // other nodes may read every column of their children
      case _ => node.children.exists(hasMetadata) || node.expressions.exists(readsBlock)
    })

  /** Returns whether the plan's output has `_metadata`, or a part of it, by that name. */
  private def hasMetadata(plan: LogicalPlan): Boolean = plan.output.exists {
    case attribute: AttributeReference => MetadataColumn.is(attribute)
    case _ => false
  }

  private def readsBlock(expression: Expression): Boolean = expression match {
    case InputFileBlockStart() | InputFileBlockLength() => true
    case field @ GetStructField(of: AttributeReference, _, _) if MetadataColumn.is(of) =>
      Set(FILE_BLOCK_START, FILE_BLOCK_LENGTH)(field.childSchema(field.ordinal).name)
    case attribute: AttributeReference => MetadataColumn.is(attribute)
    case other => other.children.exists(readsBlock)
  }
}
