package io.sbbf.orc.prune

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector
import org.apache.orc.{OrcFile, TypeDescription}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.predicate.ColumnPath.Field
import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.Verdict.{CannotMatch, MightMatch}
import io.sbbf.core.predicate.{ColumnPath, Value, Verdict}
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.testing.TestFiles

/** Tests how a probe finds the column of its leaf in a file. */
class StripeProbeSuite extends AnyFunSuite {

  /** One row, with 7 in column `k`. */
  private lazy val path: Path = {
    val file = new Path(TestFiles.folder().resolve("f.orc").toUri)
    val schema = TypeDescription.fromString("struct<k:bigint>")
    val writer =
      OrcFile.createWriter(
        file,
        OrcFile.writerOptions(new Configuration(false)).setSchema(schema))
    val batch = schema.createRowBatch(1)
    batch.cols(0).asInstanceOf[LongColumnVector].vector(0) = 7L
    batch.size = 1
    writer.addRowBatch(batch)
    writer.close()
    file
  }

  private def verdict(
      step: Field,
      key: Long,
      byPosition: Boolean = false,
      defaulted: Set[String] = Set.empty): Verdict = {
    val conf = new Configuration(false)
    conf.setBoolean("orc.force.positional.evolution", byPosition)
    val fs = path.getFileSystem(conf)
    val probe = new StripeProbe(fs, path, fs.getFileStatus(path).getLen, conf)
    val leaf = Leaf(ColumnPath(Seq(step)), In(Seq(Value.IntegerLiteral(key, 64))))
    try probe.results(leaf, ColumnLookup(caseSensitive = true, defaulted))(0).verdict
    finally probe.close()
  }

  test("a column is found by its name, and one that the file lacks holds its default.") {
    assert(verdict(Field("k"), 7) == MightMatch)
    assert(verdict(Field("k"), 8) == CannotMatch)
    assert(verdict(Field("other"), 7) == CannotMatch)
    assert(verdict(Field("other"), 7, defaulted = Set("other")) == MightMatch)
  }

  test("a column that is found by its id or by its position might hold any key.") {
    for (name <- Seq("k", "other"); key <- Seq(7L, 8L)) {
      assert(verdict(Field(name, Some(1)), key) == MightMatch)
      assert(verdict(Field(name), key, byPosition = true) == MightMatch)
    }
  }
}
