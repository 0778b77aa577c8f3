package io.sbbf.parquet.sample

import io.sbbf.parquet.model.{ColumnType, KeyKind}
import io.sbbf.parquet.statistics.{Bounds, BytesKeys, LongKeys, SortKeys}

/**
 * Values that the bounds of column chunks are asked for.
 *
 * @param plain in PLAIN encoding, without a length
 * @param columnType of the file that is asked, which need not be that of the values
 */
private[sample] final class BoundedValues(plain: Seq[Array[Byte]], columnType: ColumnType) {

  /** None where the type has no order, or the values are of another one. */
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

  /** How many of them may be in the chunk, as far as its bounds tell. */
  def within(bounds: Bounds, chunk: Int): Int = keys match {
    case Some(known) if bounds.isKnown(chunk) =>
      known.aboveMax(bounds, chunk) - known.fromMin(bounds, chunk)
    case _ => plain.size
  }
}
