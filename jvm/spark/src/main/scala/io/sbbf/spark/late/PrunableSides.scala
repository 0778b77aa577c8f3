package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.plans.{
  ExistenceJoin,
  InnerLike,
  JoinType,
  LeftAnti,
  LeftOuter,
  LeftSemi,
  RightOuter
}

/**
 * Which sides of a join may lose their rows without a key of the other side: those rows are in no
 * result, alone or with others.
 *
 * `NOT IN` also depends on whether a side is empty or has a NULL. Spark runs it as a broadcast join of
 * type [[LeftAnti]], of which only the side that is streamed is pruned.
 *
 * @param preservesLeft whether all columns of the left side are in the result as they are, so that
 *                      predicates over the result hold for the side as well
 * @param preservesRight the same for the right side
 */
private[late] final case class PrunableSides(
    left: Boolean,
    right: Boolean,
    preservesLeft: Boolean,
    preservesRight: Boolean)

private[late] object PrunableSides {
  def of(joinType: JoinType): PrunableSides = joinType match {
    case _: InnerLike => PrunableSides(true, true, true, true)
    case LeftSemi =>
      PrunableSides(left = true, right = true, preservesLeft = true, preservesRight = false)
    case LeftOuter | LeftAnti | ExistenceJoin(_) =>
      PrunableSides(left = false, right = true, preservesLeft = true, preservesRight = false)
    case RightOuter =>
      PrunableSides(left = true, right = false, preservesLeft = false, preservesRight = true)
    case _ => PrunableSides(false, false, false, false)
  }
}
