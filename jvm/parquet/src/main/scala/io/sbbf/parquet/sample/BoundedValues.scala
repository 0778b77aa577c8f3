package io.sbbf.parquet.sample

import io.sbbf.parquet.model.{ColumnType, KeyKind}
import io.sbbf.parquet.statistics.{Bounds, BytesKeys, LongKeys, SortKeys}

/**
 * Compares a list of values with the bounds of column chunks.
 *
 * @param plain the values in PLAIN encoding, without a length
 * @param columnType the column's type in the chunks' file, which may differ from that of the
 *   values
 */
private[sample] final class BoundedValues(plain: Seq[Array[Byte]], columnType: ColumnType) {

  /**
   * The sorted keys of the values. None if the type has no order, or the values have another
   * width.
   */
  private val keys: Option[SortKeys] = {
    val fits = columnType.width < 0 || plain.forall(_.length == columnType.width)
    columnType.keys match {
      case KeyKind.Longs if fits =>
        Some(new LongKeys(plain.map(columnType.longKey(_, 0)).sorted.toArray))
      case KeyKind.Bytes if fits =>
        val sorted = plain.map(columnType.bytesKey).sortWith(Bounds.compare(_, _) < 0)
        Some(new BytesKeys(sorted.toArray))
      case _ => None
    }
  }

  /**
   * Returns the number of values within the chunk's bounds, or of all values if these are
   * unknown.
   */
  def within(bounds: Bounds, chunk: Int): Int = keys match {
    case Some(known) if bounds.isKnown(chunk) =>
      known.aboveMax(bounds, chunk) - known.fromMin(bounds, chunk)
    case _ => plain.size
  }
}
