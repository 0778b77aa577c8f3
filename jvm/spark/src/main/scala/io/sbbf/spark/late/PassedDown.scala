package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  AttributeSet,
  Expression,
  InputFileName,
  MonotonicallyIncreasingID,
  NamedExpression
}
import org.apache.spark.sql.execution.aggregate.{
  BaseAggregateExec,
  HashAggregateExec,
  ObjectHashAggregateExec,
  SortAggregateExec
}
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SortExec, SparkPlan, UnionExec}
import org.apache.spark.sql.types.StringType

/**
 * What the columns of a node are in its children.
 *
 * Guaranteed: a node has the same rows for which an expression over its output has some value, if its
 * children lose their rows for which the expression over their output has another one. Each of the
 * expression's values is one for a row of each child that has the expression.
 */
private[late] object PassedDown {

  /** Returns the expression over a child's output, None if the child does not have it. */
  type Below = Expression => Option[Expression]

  private val Nothing: Below = _ => None

  /** Returns what a node's children may be pruned by, given what the node itself may be. */
  def by(node: SparkPlan, candidates: Candidates): Seq[Candidates] =
    toChildren(node).map(below =>
      if (below eq Nothing) Candidates.Empty else candidates.through(below))

  /** Returns for each child what expressions over the node's output are over the child's. */
  def toChildren(node: SparkPlan): Seq[Below] = node match {
    case filter: FilterExec if filter.condition.deterministic => Seq(Some(_))
    case project: ProjectExec if project.projectList.forall(isUnaffected) =>
      Seq(replaced(_, definitions(project.projectList)))
    case aggregate @ (_: HashAggregateExec | _: ObjectHashAggregateExec | _: SortAggregateExec) =>
      Seq(toGroups(aggregate.asInstanceOf[BaseAggregateExec]))
    case join: BaseJoinExec =>
      val sides = PrunableSides.of(join.joinType)
      Seq((join.left, sides.preservesLeft), (join.right, sides.preservesRight)).map {
        case (side, true) =>
          (e: Expression) => Some(e).filter(_.references.subsetOf(side.outputSet))
        case _ => Nothing
      }
    case union: UnionExec =>
      union.children.map { child =>
        val columns = AttributeMap(union.output.zip(child.output))
        replaced(_, a => columns.getOrElse(a, a))
      }
    case _: Exchange | _: SortExec => Seq(Some(_))
    case other => other.children.map(_ => Nothing)
  }

  /** Returns whether a column has the same values for the rows that are left. */
  private def isUnaffected(column: NamedExpression): Boolean = column match {
    case Alias(MonotonicallyIncreasingID(), name) => RowIds.contains(name)
    case Alias(InputFileName(), _) => true
    case _ => column.deterministic
  }

  /**
   * The numbers of rows by which Delta and Spark find rows that MERGE would change twice. Only their
   * being different matters.
   */
  private val RowIds = Set("_row_id_", "__row_id")

  /**
   * An aggregate without groups has a row without input as well, and a group of strings with a collation
   * has several values.
   */
  private def toGroups(aggregate: BaseAggregateExec): Below = {
    val groups = aggregate.groupingExpressions
    val columns = AttributeSet(groups.map(_.toAttribute).filterNot(hasCollation))
    expression =>
      replaced(expression, definitions(aggregate.resultExpressions))
        .filter(e => e.references.nonEmpty && e.references.subsetOf(columns))
        .flatMap(replaced(_, definitions(groups)))
  }

  private def hasCollation(column: Attribute): Boolean = column.dataType match {
    case text: StringType => text != StringType
    case _ => false
  }

  private def replaced(
      expression: Expression,
      definitions: Attribute => Expression): Option[Expression] =
    Some(expression.transform { case a: Attribute => definitions(a) }).filter(_.deterministic)

  /** Returns what each column of a projection is in terms of the columns below. */
  private def definitions(columns: Seq[NamedExpression]): Attribute => Expression = {
    val aliases = AttributeMap(columns.collect { case alias: Alias =>
      alias.toAttribute -> alias.child
    })
    column => aliases.getOrElse(column, column)
  }
}
