package io.sbbf.parquet.statistics

import java.math.BigInteger

import io.sbbf.parquet.model.{ColumnType, KeyKind}

/** The whole numbers, or decimals without their scale, from `lowest` to `highest`. */
private[parquet] final class ValueRange(lowest: BigInteger, highest: BigInteger) {
  def contains(bounds: Bounds, chunk: Int, stored: ColumnType): Boolean = stored.keys match {
    case KeyKind.Longs =>
      BigInteger.valueOf(bounds.minLong(chunk)).compareTo(lowest) >= 0 &&
      BigInteger.valueOf(bounds.maxLong(chunk)).compareTo(highest) <= 0
    case KeyKind.Bytes =>
      key(lowest, stored).forall(bounds.compareWithMin(_, chunk) <= 0) &&
      key(highest, stored).forall(bounds.compareWithMax(_, chunk) >= 0)
    case KeyKind.None => false
  }

  /**
   * Returns the key of a value; None if it does not fit into the column, and so is beyond all
   * values of the column.
   */
  private def key(value: BigInteger, stored: ColumnType): Option[Array[Byte]] =
    if (value.bitLength >= 8 * stored.width) None
    else {
      val plain = Array.fill(stored.width)((if (value.signum < 0) -1 else 0).toByte)
      val bytes = value.toByteArray
      System.arraycopy(bytes, 0, plain, plain.length - bytes.length, bytes.length)
      Some(stored.bytesKey(plain))
    }
}

private[parquet] object ValueRange {
  def ofBits(bits: Int): ValueRange =
    new ValueRange(
      BigInteger.ONE.shiftLeft(bits - 1).negate,
      BigInteger.ONE.shiftLeft(bits - 1).subtract(BigInteger.ONE))

  def ofDigits(digits: Int): ValueRange = {
    val highest = BigInteger.TEN.pow(digits).subtract(BigInteger.ONE)
    new ValueRange(highest.negate, highest)
  }
}
