package io.sbbf.spark.fuzz

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  BindReferences,
  Expression,
  Literal,
  Not,
  Or,
  Predicate => RowTest
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, Union}
import org.apache.spark.sql.execution.datasources.LogicalRelation

import io.sbbf.core.predicate.Verdict
import io.sbbf.core.predicate.Verdict.{CannotMatch, MightMatch}
import io.sbbf.spark.predicate.PrunerQuestion

/**
 * Compares the verdict about each row group with each of its rows. The condition is the one that
 * Spark's optimizer leaves in the plan: the pruner and the query both use it.
 */
final class VerdictFuzzer(table: FuzzTable, tally: Tally) {
  import VerdictFuzzer._

  /** Checks the table's predicates until all are checked or `enough` returns true. */
  def run(enough: () => Boolean): Unit = {
    SparkSession.setActiveSession(table.session) // expressions read its settings
    try table.predicates.grouped(BatchSize).takeWhile(_ => !enough()).foreach(batch)
    finally SparkSession.clearActiveSession()
  }

  /** Plans many predicates at once, which takes the optimizer little more time than one. */
  private def batch(predicates: Seq[String]): Unit =
    try {
      val queries = predicates.zipWithIndex.map { case (p, n) =>
        table.parse(s"select $n as $Tag from ${table.name} where $p")
      }
      val plan = table.session.sessionState.executePlan(Union(queries)).optimizedPlan
      val filters = tagged(plan)
      predicates.indices.foreach { n =>
        tally.queries += 1
        filters.get(n) match {
          case Some(filter) => check(predicates(n), filter)
          case None => tally.folded += 1
        }
      }
    } catch {
      case NonFatal(_) if predicates.size > 1 =>
        predicates.grouped((predicates.size + 1) / 2).foreach(batch)
      case NonFatal(e) =>
        tally.queries += 1
        tally.refuse(predicates.head, e)
    }

  /** Returns the filter of each query that the optimizer has not answered, by its number. */
  private def tagged(plan: LogicalPlan): Map[Int, Filter] = (plan match {
    case Union(queries, _, _) => queries
    case query => Seq(query)
  }).collect {
    case Project(Seq(Alias(Literal(n: Int, _), Tag)), filter @ Filter(_, _: LogicalRelation)) =>
      n -> filter
  }.toMap

  private def check(sql: String, filter: Filter): Unit = {
    val columns = filter.child.output
    val test = new Test(filter.condition, columns)
    val prunes = table.openFiles.map { file =>
      try {
        val verdicts = file.verdicts.of(test.question)
        if (test.wrong(file, verdicts).nonEmpty)
          tally.differ(table, file, sql, smallest(file, filter.condition, columns))
        verdicts.exists(_._2 == CannotMatch)
      } catch {
        case NonFatal(e) =>
          tally.differ(table, file, sql, s"the pruner fails with $e")
          false
      }
    }
    if (prunes.contains(true)) tally.pruned += 1
  }

  /** Describes the error of the smallest part of the condition that has one. */
  private def smallest(file: FuzzFile, condition: Expression, columns: Seq[Attribute]): String = {
    def wrong(part: Expression) = {
      val test = new Test(part, columns)
      test.wrong(file, file.verdicts.of(test.question))
    }
    val part = shrunk(condition, wrong(_).nonEmpty)
    wrong(part).get.describe(part, columns)
  }

  /** A condition, translated for the pruner and bound to rows. */
  private final class Test(condition: Expression, columns: Seq[Attribute]) {
    lazy val question: PrunerQuestion = table.question(condition)
    private val row =
      RowTest.createInterpreted(BindReferences.bindReference(condition, columns))

    private def contradicts(verdict: Verdict)(held: InternalRow): Boolean =
      try row.eval(held) == (verdict == CannotMatch)
      catch { case NonFatal(_) => tally.raised += 1; false }

    /** Returns the first row that contradicts a verdict. */
    def wrong(file: FuzzFile, verdicts: Seq[(Verdict, Verdict)]): Option[Wrong] = {
      val decided = for {
        ((early, late), rowGroup) <- verdicts.iterator.zipWithIndex
        verdict <- Seq(early, late).distinct.iterator if verdict != MightMatch
        held <- file.rowsOf(rowGroup).find(contradicts(verdict)).iterator
      } yield Wrong(rowGroup, verdict, held)
      if (decided.hasNext) Some(decided.next()) else None
    }
  }
}

object VerdictFuzzer {
  private val BatchSize = 50
  private val Tag = "fuzz_tag"

  /** A row that contradicts the verdict about its row group. */
  private final case class Wrong(rowGroup: Int, verdict: Verdict, row: InternalRow) {
    def describe(condition: Expression, columns: Seq[Attribute]): String = {
      val held = columns.zipWithIndex.collect {
        case (c, n) if c.name == "id" || condition.references.contains(c) =>
          s"${c.name} ${c.dataType.sql} = ${if (n < row.numFields) show(row, n, c) else "?"}"
      }
      s"row group $rowGroup $verdict, against a row with ${held.mkString(", ")}\n" +
        s"  as optimized: ${condition.sql}"
    }
    private def show(row: InternalRow, n: Int, c: Attribute): String =
      if (row.isNullAt(n)) "NULL" else Literal(row.copy().get(n, c.dataType), c.dataType).sql
  }

  /** Returns the smallest part of a condition, below AND, OR and NOT, that is still wrong. */
  private def shrunk(condition: Expression, isWrong: Expression => Boolean): Expression =
    (condition match {
      case And(left, right) => Seq(left, right)
      case Or(left, right) => Seq(left, right)
      case Not(child) => Seq(child)
      case _ => Nil
    }).find(isWrong).fold(condition)(shrunk(_, isWrong))
}
