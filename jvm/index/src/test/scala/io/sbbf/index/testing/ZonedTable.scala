package io.sbbf.index.testing

import org.apache.hadoop.fs.FileStatus

import io.sbbf.core.bloom.XxHash64
import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.Value
import io.sbbf.index.format.{SegmentManifest, StoredZones}
import io.sbbf.index.testing.ZonedTable.Row
import io.sbbf.parquet.testing.TestFiles.Style

/** Files of row groups with 100 rows each, without statistics that could decide. */
final class ZonedTable extends IndexedFolder {
  var rows: Vector[Seq[Row]] = Vector.empty

  def add(of: Seq[Row], filters: Map[String, Int] = Map.empty): FileStatus = {
    rows :+= of
    write(
      """message table {
        required int64 id;
        optional binary name (STRING);
        required double real;
        optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
      }""",
      Style(filters = filters),
      of.iterator.map { row => group =>
        group.add("id", row.id)
        row.name.foreach(group.add("name", _))
        group.add("real", row.real)
        val tags = group.addGroup("tags")
        Seq(row.id, row.id + 1).foreach(n => tags.addGroup("list").add("element", s"tag-$n"))
      }
    )
  }

  /** Adds filters of zones with `items` rows to the index; 0 is one zone a row group. */
  def addZones(columns: Seq[String], items: Int, failed: Set[Int] = Set.empty): Unit = {
    build(columns, StoredZones.Rule(items, 0.00057, fromFilters = false), failed)
    cache.forget(index.place.index)
  }

  /** Adds the filters of the files to the index. */
  def addOwnFilters(columns: Seq[String]): SegmentManifest =
    build(columns, StoredZones.Rule(0, 0.01, fromFilters = true), Set.empty)

  private def build(
      columns: Seq[String],
      rule: StoredZones.Rule,
      failed: Set[Int]): SegmentManifest =
    new LocalZones(index.place, conf).add(all, columns, rule, failed)

  /** Returns the number of row groups in each file that hold a row for which `test` is true. */
  def holding(test: Row => Boolean): Seq[Int] =
    rows.map(_.grouped(100).count(_.exists(test)))
}

object ZonedTable {
  final case class Row(id: Long, name: Option[String], real: Double)

  /** Returns rows with scattered ids, so that min/max exclude nothing. */
  def scattered(from: Long, count: Int): Seq[Row] =
    (from until from + count).map { n =>
      val key = XxHash64.hashLong(n)
      Row(
        key,
        if (n / 100 % 2 == 0) Some(s"n$key") else None,
        if (n % 100 == 7) -0.0 else n / 2.0)
    }

  def id(values: Long*): Leaf = Leaf(Seq("id"), In(values.map(Value.IntegerLiteral(_, 64))))
  def text(value: String): Value = Value.Bytes(value.getBytes, text = true)
  def name(value: String): Leaf = Leaf(Seq("name"), In(Seq(text(value))))
  def real(value: Double): Leaf = Leaf(Seq("real"), In(Seq(Value.DoubleLiteral(value))))
}
