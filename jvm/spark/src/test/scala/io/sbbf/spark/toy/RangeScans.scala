package io.sbbf.spark.toy

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Range}
import org.apache.spark.sql.execution.{RangeExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.{KeyFunction, Value}
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.spark.predicate.PredicateTranslator
import io.sbbf.spark.scan._

/** A toy format: each number of a range is a file, which a lookup of other numbers leaves out. */
private[spark] object RangeScans extends ScanFormat {

  override def isListedEarly: Boolean = true

  override def isListedIn(plan: LogicalPlan): Boolean = true

  override def scanOf(leaf: LeafNode, conf: SQLConf): Option[PrunableScan] = leaf match {
    case range: Range => Some(new RangeScan(range))
    case _ => None
  }

  override def runningScanOf(
      node: SparkPlan,
      readsBlocks: => Boolean,
      conf: SQLConf): Option[RunningScan] = node match {
    case range: RangeExec => Some(new RunningRange(range))
    case _ => None
  }

  /** Returns the lookup's numbers, all of them one range, None if something else is required. */
  private[toy] def numbers(
      columns: FileColumns,
      conjuncts: Seq[Expression],
      output: Seq[Attribute]): Option[(Long, Long)] =
    columns.predicate(conjuncts, output) match {
      case Leaf(_, In(values)) =>
        val all = values.collect { case Value.IntegerLiteral(number, _) => number.toLong }
        Some((all.min, all.max + 1))
      case _ => None
    }
}

/** A scan of a range. One with steps of 3 is of a version that is unknown. */
private[toy] final class RangeScan(range: Range) extends PrunableScan {
  override def name: String = "a range"
  override def roots: Seq[Path] = if (range.step == 3) unknown else Nil
  override def columns: FileColumns = new RangeColumns
  override def whyNever(observesSplits: => Boolean): Option[String] =
    if (range.step == 3) unknown else if (range.step != 1) Some("it has gaps") else None
  private def unknown: Nothing = throw new NoSuchMethodError("step")
  override def whyNoEvidence: Option[String] = None
  override def unpruned: LeafNode = range

  override def prunedBy(conjuncts: Seq[Expression], observesSplits: => Boolean): LeafNode =
    RangeScans
      .numbers(columns, conjuncts, range.output)
      .fold(range) { case (from, until) =>
        range.copy(start = math.max(from, range.start), end = math.min(until, range.end))
      }

  override def outcome(running: Seq[SparkPlan]): Option[PrunedTable] = None
}

private[toy] final class RunningRange(range: RangeExec) extends RunningScan {
  override def columns: FileColumns = new RangeColumns

  override def narrowedBy(keys: Seq[LateKeys]): Option[SparkPlan] =
    RangeScans.numbers(columns, keys.map(_.filter), range.output).map { case (from, until) =>
      RangeExec(range.range.copy(start = from, end = until))
    }
}

private[toy] final class RangeColumns extends FileColumns {
  override def lookup: ColumnLookup = ColumnLookup(caseSensitive = true)
  override protected def translator: PredicateTranslator =
    new PredicateTranslator(Set.empty, true, false, () => Nil)
  override protected def findFunctions(): Seq[KeyFunction] = Nil
  override protected def stored(filters: Seq[Expression]): Seq[Expression] = filters
  override protected def isPartitionColumn(column: Attribute): Boolean = false
}
