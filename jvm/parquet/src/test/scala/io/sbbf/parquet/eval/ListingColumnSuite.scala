package io.sbbf.parquet.eval

import java.lang.management.ManagementFactory

import scala.util.Random

import com.sun.management.ThreadMXBean
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.Verdict.CannotMatch
import io.sbbf.core.predicate.{ColumnPath, Value}
import io.sbbf.parquet.literal.BoundPredicate.InSet
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.Evidence
import io.sbbf.parquet.testing.{TestFile, TestFiles}

/** Compares the evidence of a column with the evaluator of each file, whose results it must equal. */
final class ListingColumnSuite extends AnyFunSuite {
  import ListingColumnSuite._

  test(
    "the evidence of a column refutes the files that their own evaluators refute, by the same evidence.") {
    val random = new Random(TestFiles.seed())
    var (refuted, screened) = (0, Map.empty[Evidence, Int])
    for (kind <- DifferentialSuite.Kinds.all) {
      val written = (0 until 8).map(DifferentialSuite.randomFile(kind, _, random))
      val (files, rows) = (written.map(_._1), written.map(_._2))
      val column = ListingColumn.of(files.map(_.evidence).toArray, C, caseSensitive = true)
      assert(column.isEmpty == kind.parquet.startsWith("boolean"), kind.parquet)
      for (of <- column; _ <- 0 until 60) {
        val literals = In(Seq.fill(1 + random.nextInt(3))(literal(kind, rows, random)))
        for (i <- files.indices) {
          val results = files(i).evaluate(C, literals) // also reads the filters
          val isRefuted = results.forall(_.verdict == CannotMatch)
          if (isRefuted) refuted += 1
          val expected = results.map(_.evidence).groupBy(identity).map(e => e._1 -> e._2.size)
          refutedBy(of, i, literals) match {
            case Some(counts) =>
              assert(isRefuted && counts == expected, s"${kind.parquet} $literals file $i")
              counts.foreach(e =>
                screened = screened.updated(e._1, screened.getOrElse(e._1, 0) + e._2))
            case None =>
              assert(
                !isRefuted || needsMore(files(i), literals),
                s"${kind.parquet} $literals file $i")
          }
        }
      }
    }
    info(s"$refuted refuted files; row groups that the evidence of a column refuted: $screened")
    assert(Seq(Evidence.NullCount, Evidence.MinMax, Evidence.Bloom).forall(screened.contains))
  }

  test("files are left undecided whose filters are not in memory.") {
    val file = text("a", "c", "e")
    val column = ListingColumn.of(Array(file.evidence), C, caseSensitive = true).get
    assert(refutedBy(column, 0, texts("b")).isEmpty)
    file.evaluate(C, texts("b"))
    assert(refutedBy(column, 0, texts("b")).contains(Map(Evidence.Bloom -> 1)))
    assert(refutedBy(column, 0, texts("x")).contains(Map(Evidence.MinMax -> 1)))
    assert(refutedBy(column, 0, texts("c")).isEmpty)
  }

  test("strings that share their first eight bytes with a bound are compared in full.") {
    val file = text("customer-20", "customer-22", "customer-40")
    val column = ListingColumn.of(Array(file.evidence), C, caseSensitive = true).get
    file.evaluate(C, texts("customer-21"))
    // literals; the evidence that refutes the only row group, if any
    val table = Seq(
      texts("customer-1") -> Some(Evidence.MinMax),
      texts("customer-5", "b") -> Some(Evidence.MinMax),
      texts("customer-21") -> Some(Evidence.Bloom),
      texts("customer-21", "customer-1") -> Some(Evidence.Bloom),
      texts("customer-22") -> None,
      texts("customer-20") -> None,
      texts("customer-40", "x") -> None
    )
    for ((literals, evidence) <- table)
      assert(refutedBy(column, 0, literals) == evidence.map(e => Map(e -> 1)), literals)
  }

  test("a refuted file allocates nothing.") {
    val file = text("d", "f", "h")
    file.evaluate(C, texts("e"))
    val column = ListingColumn.of(Array(file.evidence), C, caseSensitive = true).get
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
    val (counts, repetitions) = (new RefutedCounts, 10000)
    // refuted by the bounds and by the filter
    for (literal <- Seq("a", "e")) {
      val test = new LiteralEncodings().of(Leaf(C, texts(literal)), column.kind) match {
        case list: InSet => list
        case other => fail(other.toString)
      }
      def allocated(): Long = {
        val before = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
        var i = 0
        while (i < repetitions && column.refutes(0, test, counts)) i += 1
        assert(i == repetitions)
        threads.getThreadAllocatedBytes(Thread.currentThread.getId) - before
      }
      val least = Seq.fill(10)(allocated()).min
      assert(least < repetitions, s"$literal: $least bytes for $repetitions files")
    }
  }

  test("files without the column, or with another type, are left undecided.") {
    val numbers = new TestFile(
      TestFiles.write(
        "message m { required int64 c; }",
        TestFiles.Style(),
        Iterator.single(_.add("c", 5L))))
    val other = new TestFile(
      TestFiles.write(
        "message m { required int64 d; }",
        TestFiles.Style(),
        Iterator.single(_.add("d", 5L))))
    val files = Array(text("a", "c"), numbers, other).map(_.evidence)
    val column = ListingColumn.of(files, C, caseSensitive = true).get
    assert(refutedBy(column, 0, texts("x")).contains(Map(Evidence.MinMax -> 1)))
    assert((1 to 2).forall(refutedBy(column, _, texts("x")).isEmpty))
    assert(ListingColumn.of(files.drop(2), C, caseSensitive = true).isEmpty)
  }
}

object ListingColumnSuite {
  private val C = ColumnPath.named(Seq("c"))

  private def texts(values: String*): In = In(
    values.map(v => Value.Bytes(v.getBytes("UTF-8"), text = true)))

  /** A file of one row group with filters and without a dictionary. */
  private def text(values: String*): TestFile = new TestFile(
    TestFiles.write(
      "message m { required binary c (STRING); }",
      TestFiles.Style(filters = Map("c" -> 1000), dictionary = false),
      values.iterator.map(v => _.add("c", v))))

  /** Returns the refuted row groups of a file by evidence, or None if there is no result. */
  private def refutedBy(
      column: ListingColumn,
      file: Int,
      literals: In): Option[Map[Evidence, Int]] = {
    val counts = new RefutedCounts
    new LiteralEncodings().of(Leaf(C, literals), column.kind) match {
      case test: InSet if ListingColumn.canEvaluate(test) && column.refutes(file, test, counts) =>
        Some(counts.toMap)
      case _ => None
    }
  }

  private def literal(
      kind: DifferentialSuite.Kind[_],
      rows: Seq[Seq[Option[Any]]],
      random: Random): Value = {
    val some = rows(random.nextInt(rows.size))
    val near = some(random.nextInt(some.size)).filter(_ => random.nextInt(3) == 0)
    kind.literal(random, near.getOrElse(kind.next(random)).asInstanceOf[kind.Stored])
  }

  /** Whether the results of a file may come from what the evidence of a column does not have. */
  private def needsMore(file: TestFile, literals: In): Boolean = {
    val leaf = Leaf(C, literals)
    val kind = file.footer.schema.column(0).columnType
    val isList = new LiteralEncodings().of(leaf, kind) match {
      case test: InSet => ListingColumn.canEvaluate(test)
      case _ => false
    }
    !isList || (0 until file.footer.numRowGroups).exists(g =>
      file.footer.dictionaryOffset(file.footer.chunk(g, 0)) != 0)
  }
}
