package io.sbbf.index.zones

import io.sbbf.core.bloom.FilterSizing
import io.sbbf.index.format.StoredZones.Rule
import io.sbbf.parquet.hashes.{IndexFacts, IndexableColumn}

/**
 * Plans the zones of some files and the slabs of their filters, by the footers alone.
 *
 * @param columns the number of columns
 * @param files what the footers of the files state
 */
private[sbbf] final class ZonePlan(val rule: Rule, columns: Int, files: IndexedSeq[IndexFacts]) {

  /** The number of the first row group of each file. */
  private val starts = files.scanLeft(0)(_ + _.rowsOf.size)

  private val sizeOfItems: Int =
    if (rule.items > 0) FilterSizing.bytesFor(rule.items.toLong, rule.fpp) else 0

  /** The number of zones of each column in each row group. */
  private val counts: IndexedSeq[IndexedSeq[Int]] = (0 until columns).map { column =>
    files.flatMap { file =>
      if (isFiltered(file.columns(column))) file.rowsOf.map(zonesIn) else file.rowsOf.map(_ => 0)
    }
  }

  private val plans: IndexedSeq[SlabPlan] = (0 until columns).map { column =>
    val sizes = files.flatMap { file =>
      file.rowsOf.indices.map(sizeOf(file.columns(column), _))
    }
    new SlabPlan(sizes, counts(column))
  }

  /** The slabs of each column. */
  def slabs: IndexedSeq[Vector[SlabLayout]] = plans.map(_.slabs)

  /** The number of the filters of all columns. */
  def numZones: Long = slabs.flatten.map(_.filters.toLong).sum

  /** The size of all slabs in bytes, about. */
  def bytes: Long = slabs.flatten.map(_.bytes).sum

  /** Returns the columns of a file that have filters. */
  def ofFile(file: Int): Seq[ColumnZones] = {
    val rowGroups = (starts(file) until starts(file + 1)).toArray
    for {
      column <- 0 until columns
      found = files(file).columns(column)
      if isFiltered(found)
    } yield new ColumnZones(
      column,
      found.leaf,
      rowGroups.map(plans(column).slabOf),
      rowGroups.map(plans(column).firstFilter),
      rowGroups.map(counts(column)))
  }

  private def isFiltered(column: IndexableColumn): Boolean =
    column.leaf >= 0 && column.whyNot.isEmpty

  private def zonesIn(rows: Long): Int =
    if (rule.items == 0) math.min(rows, 1L).toInt
    else Math.toIntExact((rows + rule.items - 1) / rule.items)

  private def sizeOf(column: IndexableColumn, rowGroup: Int): Int =
    if (!isFiltered(column)) 0
    else if (rule.fromFilters) column.filterBytes(rowGroup)
    else if (rule.items > 0) sizeOfItems
    else FilterSizing.bytesFor(column.valuesOf(rowGroup), rule.fpp)
}

/**
 * Where the filters of a column of one file are. Serializable. The arrays have an element for each
 * row group of the file.
 *
 * @param column the number of the column in the segment
 * @param leaf the number of the column among the leaves of the file's schema
 * @param slabs the numbers of the slabs, -1 for row groups without filters
 * @param firsts the numbers of the first filters in their slabs
 * @param counts the numbers of the filters
 */
private[sbbf] final class ColumnZones(
    val column: Int,
    val leaf: Int,
    val slabs: Array[Int],
    val firsts: Array[Int],
    val counts: Array[Int])
    extends Serializable
