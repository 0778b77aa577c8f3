package io.sbbf.parquet.append

import org.apache.parquet.format.{FileMetaData, Type}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.parquet.model.UnusableFile
import io.sbbf.parquet.testing.SyntheticFooter
import io.sbbf.parquet.testing.SyntheticFooter.Column
import io.sbbf.parquet.values.ValueKind
import io.sbbf.parquet.write.FilterRequest

class FilePlanSuite extends AnyFunSuite {
  private val paths = IndexedSeq(Seq("a"), Seq("b"))
  private val edit = FileEdit(Seq(FilterRequest(0, ValueKind.Longs, 0.01, 1024)), drop = Nil)

  private def metadata(): FileMetaData =
    SyntheticFooter.metadata(Seq("a" -> Column(Type.INT64), "b" -> Column(Type.INT64)), 3)(
      (_, _) => null)

  private def refused(paths: IndexedSeq[Seq[String]])(change: FileMetaData => Unit): String = {
    val changed = metadata()
    change(changed)
    intercept[UnusableFile](FilePlan.of(changed, paths, edit)).reason
  }

  test("the plan of an ordinary file has a chunk for each row group") {
    val plan = FilePlan.of(metadata(), paths, edit)
    assert(plan.chunks.map(_.chunk) == Seq((0, 0), (1, 0), (2, 0)))
  }

  test("chunks in another order than their columns raise an error") {
    assert(refused(paths) { changed =>
      val chunks = changed.getRow_groups.get(1).getColumns
      chunks.add(chunks.remove(0))
      ()
    } == "column chunks in another order than columns")
    assert(refused(paths) { changed =>
      changed.getRow_groups.get(2).getColumns.remove(1)
      ()
    } == "row group without all its columns")
  }

  test("chunks in another file, without metadata or of the same name raise an error") {
    def chunk(changed: FileMetaData) = changed.getRow_groups.get(0).getColumns.get(1)
    assert(
      refused(paths)(chunk(_).setFile_path("other.parquet")) == "column chunks in another file")
    assert(refused(paths)(chunk(_).setMeta_data(null)) == "column chunk without metadata")
    assert(refused(IndexedSeq(Seq("a", "b"), Seq("a.b")))(_ => ()) == "columns of the same name")
  }
}
