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

import io.sbbf.core.Verdict
import io.sbbf.core.Verdict.{CannotMatch, MightMatch}

/**
 * Compares the verdict about each row group with each of its rows. The condition is the one that
 * Spark's optimizer leaves in the plan, which is what the pruner and the query both see.
 */
final class VerdictFuzzer(table: FuzzTable, tally: Tally) {
  import VerdictFuzzer._

  /** Asks the table's predicates until there are no more of them, or `enough`. */
  def run(enough: () => Boolean): Unit = {
    SparkSession.setActiveSession(table.session) // whose settings expressions go by
    try table.predicates.grouped(BatchSize).takeWhile(_ => !enough()).foreach(batch)
    finally SparkSession.clearActiveSession()
  }

  /** One plan for many predicates: the optimizer takes little more time for it than for one. */
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
          case Some(filter) => ask(predicates(n), filter)
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

  /** What is left of each query that the optimizer has not answered. */
  private def tagged(plan: LogicalPlan): Map[Int, Filter] = (plan match {
    case Union(queries, _, _) => queries
    case query => Seq(query)
  }).collect {
    case Project(Seq(Alias(Literal(n: Int, _), Tag)), filter @ Filter(_, _: LogicalRelation)) =>
      n -> filter
  }.toMap

  private def ask(sql: String, filter: Filter): Unit = {
    val columns = filter.child.output
    def wrongIn(file: FuzzFile)(condition: Expression) = wrong(file, condition, columns)
    table.openFiles.foreach { file =>
      try
        wrongIn(file)(filter.condition).foreach { first =>
          val smallest = shrunk(filter.condition, wrongIn(file)(_).nonEmpty)
          tally.differ(
            table,
            file,
            sql,
            wrongIn(file)(smallest).getOrElse(first).describe(smallest, columns))
        }
      catch { case NonFatal(e) => tally.differ(table, file, sql, s"the pruner fails with $e") }
    }
    if (table.openFiles.exists(_.verdicts.of(filter.condition).exists(_._2 == CannotMatch)))
      tally.pruned += 1
  }

  private def wrong(
      file: FuzzFile,
      condition: Expression,
      columns: Seq[Attribute]): Option[Wrong] = {
    val test = RowTest.createInterpreted(BindReferences.bindReference(condition, columns))
    def contradicts(verdict: Verdict)(row: InternalRow): Boolean =
      try test.eval(row) == (verdict == CannotMatch)
      catch { case NonFatal(_) => tally.raised += 1; false }
    val decided = for {
      ((early, late), rowGroup) <- file.verdicts.of(condition).zipWithIndex
      verdict <- Seq(early, late).distinct if verdict != MightMatch
    } yield (rowGroup, verdict)
    decided.iterator
      .flatMap { case (rowGroup, verdict) =>
        file.rowsOf(rowGroup).find(contradicts(verdict)).map(Wrong(rowGroup, verdict, _)).iterator
      }
      .take(1)
      .toSeq
      .headOption
  }
}

object VerdictFuzzer {
  private val BatchSize = 50
  private val Tag = "fuzz_tag"

  /** A row that the verdict about its row group denies. */
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

  /** The smallest part of a condition, under AND, OR and NOT, of which `isWrong` still holds. */
  private def shrunk(condition: Expression, isWrong: Expression => Boolean): Expression =
    (condition match {
      case And(left, right) => Seq(left, right)
      case Or(left, right) => Seq(left, right)
      case Not(child) => Seq(child)
      case _ => Nil
    }).find(isWrong).fold(condition)(shrunk(_, isWrong))
}
