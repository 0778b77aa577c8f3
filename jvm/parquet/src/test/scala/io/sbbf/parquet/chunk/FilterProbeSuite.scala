package io.sbbf.parquet.chunk

import java.nio.file.{Path => JPath}
import java.util.Arrays

import org.apache.parquet.example.data.Group
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.Value.IntegerLiteral
import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{ColumnLookup, LeafResult}
import io.sbbf.parquet.testing.{TestFile, TestFiles}

/** Tests how large filters are probed in slices where nothing can keep them. */
final class FilterProbeSuite extends AnyFunSuite {
  import FilterState._
  import TestFiles._

  /** Returns a file of one row group with the even ids below `2 * rows`, and a filter of 1 MiB. */
  private def large(rows: Int): JPath = write(
    "message m { required int64 id; }",
    Style(filters = Map("id" -> 500000), rowsPerPage = Some(1000)),
    Iterator.tabulate(rows)(row => (g: Group) => g.add("id", 2L * row))
  )

  /** Evaluates literals on the only row group with a limit for retained filters. */
  private def evaluate(
      file: TestFile,
      mostRetained: Long,
      literals: Seq[Long]): Seq[LeafResult] = {
    val evidence = new FileEvidence(file.footer, mostRetained)
    literals.map(literal =>
      evidence
        .bind(
          Leaf(Seq("id"), In(Seq(IntegerLiteral(literal, 64)))),
          ColumnLookup(caseSensitive = true),
          new LiteralEncodings)
        .evalContents(0, () => file.bytes))
  }

  test("planning reads 4 KiB of a large filter for each literal if it cannot keep the filter.") {
    val path = large(rows = 50000)
    val literals = (0L until 300L).map(_ * 330 + 1) ++ (0L until 50L).map(_ * 662)
    val Seq(kept, probed) = Seq(Long.MaxValue, 0L).map { space =>
      val file = new TestFile(path, tailBytes = 64)
      val results = evaluate(file, space, literals)
      (results, file.bytes.bytesRead)
    }
    assert(probed._1 == kept._1)
    assert(probed._1.count(_ eq LeafResult.NotInFilter) > 250)
    assert(probed._1.drop(300).forall(_ eq LeafResult.InFilter))
    val perLiteral = probed._2 / literals.size
    assert(kept._2 > 1024 * 1024 && perLiteral > 4096 && perLiteral < 4096 + 256)
  }

  test("more than four literals read the whole filter.") {
    val path = large(rows = 50000)
    for (count <- Seq(4, 5)) {
      val file = new TestFile(path, tailBytes = 64)
      val evidence = new FileEvidence(file.footer, mostRetained = 0)
      val literals = In(Seq.tabulate(count)(i => IntegerLiteral(2000L * i + 1, 64)))
      val leaf =
        evidence.bind(Leaf(Seq("id"), literals), ColumnLookup(true), new LiteralEncodings)
      assert(leaf.evalContents(0, () => file.bytes) eq LeafResult.NotInFilter)
      assert((file.bytes.bytesRead > 1024 * 1024) == (count > 4))
    }
  }

  test("4 KiB without a bit refute a literal only if the filter has bits elsewhere.") {
    val path = large(rows = 3)
    val sparse = new TestFile(path, tailBytes = 64)
    assert(evaluate(sparse, 0, Seq(3L, 2L)) == Seq(LeafResult.NotInFilter, LeafResult.InFilter))
    assert(sparse.bytes.bytesRead > 1024 * 1024)
    val empty = damaged(path) { (metadata, data) =>
      val present = new TestFile(path).filter(0, "id").asInstanceOf[Present]
      val start = present.offset.toInt + present.headerBytes
      Arrays.fill(data, start, start + present.bitset.length, 0.toByte)
      assert(
        metadata.getRow_groups
          .get(0)
          .getColumns
          .get(0)
          .getMeta_data
          .getBloom_filter_offset == present.offset)
    }
    assert(
      evaluate(new TestFile(empty), 0, Seq(3L)) ==
        Seq(LeafResult.filterRejected("no bit is set")))
  }
}
