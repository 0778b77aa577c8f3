package io.sbbf.orc.eval

import org.apache.hadoop.hive.ql.io.sarg.SearchArgument.Builder
import org.apache.hadoop.hive.ql.io.sarg.{PredicateLeaf, SearchArgumentFactory}
import org.apache.orc.impl.RecordReaderImpl
import org.apache.orc.util.BloomFilter
import org.apache.orc.{ColumnStatistics, TypeDescription}

import io.sbbf.core.predicate.RowGroupPredicate._
import io.sbbf.core.predicate.Value

/** A test of one column, evaluated on statistics and bloom filters. */
private[eval] sealed abstract class OrcTest {

  /**
   * Returns whether a row might pass.
   *
   * @param filter the bloom filter of the rows, null to evaluate the statistics alone
   * @param rows the number of rows
   */
  def mightPass(statistics: ColumnStatistics, filter: BloomFilter, rows: Long): Boolean
}

private[eval] object OrcTest {

  /** Decided by the count of values: writers got the flag of NULL wrong (ORC-415). */
  final case class OfNull(isNull: Boolean) extends OrcTest {
    override def mightPass(
        statistics: ColumnStatistics,
        filter: BloomFilter,
        rows: Long): Boolean =
      if (isNull) statistics.getNumberOfValues != rows else statistics.getNumberOfValues != 0
  }

  /**
   * Decided by ORC's library.
   *
   * @param isNegated whether the test passes where `leaf` does not
   */
  private final class OfValues(leaf: PredicateLeaf, isNegated: Boolean) extends OrcTest {
    override def mightPass(
        statistics: ColumnStatistics,
        filter: BloomFilter,
        rows: Long): Boolean = {
      val truth = RecordReaderImpl.evaluatePredicate(statistics, leaf, filter, true)
      (if (isNegated) truth.not else truth).isNeeded
    }
  }

  /** The library evaluates leaves without looking at the name of their column. */
  private val Column = "c"

  /**
   * Returns tests that a value must pass to pass `test`, none if ORC's library cannot decide.
   *
   * @param isAsDeclared whether the file stores the column as the table declares it, so that a
   *   value that is not NULL cannot be read as NULL
   */
  def of(test: Test, stored: TypeDescription, isAsDeclared: Boolean): Seq[OrcTest] = test match {
    case AllOf(tests) => tests.flatMap(ofOne(_, stored, isAsDeclared))
    case one: SimpleTest => ofOne(one, stored, isAsDeclared).toSeq
  }

  private def ofOne(
      test: SimpleTest,
      stored: TypeDescription,
      isAsDeclared: Boolean): Option[OrcTest] = test match {
    case In(values) => ofValues(values, stored)
    case Less(than, orEqual) => compared(than, stored)(_.last, orEqual, isNegated = false)
    case Greater(than, orEqual) => compared(than, stored)(_.head, !orEqual, isNegated = true)
    case IsNull | IsNullDecimal(_, _) if isAsDeclared => Some(OfNull(isNull = true))
    case IsNotNull => Some(OfNull(isNull = false))
    case IsNull | IsNullDecimal(_, _) | NotIn(_) => None
  }

  private def ofValues(values: Seq[Value], stored: TypeDescription): Option[OrcTest] = {
    val literals = values.map(OrcLiteral.of(_, stored))
    if (literals.isEmpty || literals.contains(None)) None
    else {
      val of = literals.head.get.of
      Some(literals.flatMap(_.get.values) match {
        case Seq(value) => build(isNegated = false)(_.equals(Column, of, value))
        case several => build(isNegated = false)(_.in(Column, of, several: _*))
      })
    }
  }

  /** @param zero chooses the zero for which the comparison holds most often */
  private def compared(than: Value, stored: TypeDescription)(
      zero: Seq[AnyRef] => AnyRef,
      orEqual: Boolean,
      isNegated: Boolean): Option[OrcTest] =
    OrcLiteral.of(than, stored).map { literal =>
      val value = zero(literal.values)
      build(isNegated) { builder =>
        if (orEqual) builder.lessThanEquals(Column, literal.of, value)
        else builder.lessThan(Column, literal.of, value)
      }
    }

  private def build(isNegated: Boolean)(test: Builder => Builder): OrcTest = {
    val leaves = test(SearchArgumentFactory.newBuilder().startAnd()).end().build().getLeaves
    new OfValues(leaves.get(0), isNegated)
  }
}
