package io.sbbf.orc.file

import org.apache.orc.OrcFile.WriterVersion
import org.apache.orc.TypeDescription.Category
import org.apache.orc.impl.ColumnStatisticsImpl
import org.apache.orc.{ColumnStatistics, OrcProto, Reader, TypeDescription}

/**
 * Reads statistics, without those that are incomplete or that their writers got wrong.
 *
 * ORC's reader takes an absent count for "no value", and an absent bound of a number for the least
 * or greatest one. Both would refute row groups that hold matches.
 */
private[file] final class UsableStatistics(reader: Reader) {
  import UsableStatistics._

  private val version = reader.getWriterVersion

  /** Whether the maximum of texts in stripes is right; that in row groups always is (HIVE-8732). */
  val areRightInStripes: Boolean = version != WriterVersion.ORIGINAL

  /** Returns the statistics of a column of type `of`, null if they are unusable. */
  def read(stored: OrcProto.ColumnStatistics, of: TypeDescription): ColumnStatistics =
    if (!stored.hasNumberOfValues || hasWrongDecimals(of)) null
    else if (stored.getNumberOfValues > 0 && !isBounded(stored)) null
    else
      ColumnStatisticsImpl.deserialize(
        of,
        stored,
        reader.writerUsedProlepticGregorian,
        reader.getConvertToProlepticGregorian)

  /** ORC 1.5.0 to 1.5.5 wrote wrong bounds of short decimals (ORC-517). */
  private def hasWrongDecimals(of: TypeDescription): Boolean =
    version == WriterVersion.ORC_135 && of.getCategory == Category.DECIMAL &&
      of.getPrecision <= TypeDescription.MAX_DECIMAL64_PRECISION
}

private object UsableStatistics {

  /** Returns whether the bounds are there, and NaN is not among the values. */
  private def isBounded(stored: OrcProto.ColumnStatistics): Boolean =
    if (stored.hasIntStatistics)
      stored.getIntStatistics.hasMinimum && stored.getIntStatistics.hasMaximum
    else if (stored.hasDoubleStatistics) {
      val doubles = stored.getDoubleStatistics
      // NaN is in the sum, but maybe not in the bounds
      doubles.hasMinimum && doubles.hasMaximum && doubles.hasSum &&
      !doubles.getSum.isNaN && !doubles.getMinimum.isNaN && !doubles.getMaximum.isNaN
    } else if (stored.hasDateStatistics)
      stored.getDateStatistics.hasMinimum && stored.getDateStatistics.hasMaximum
    else if (stored.hasBucketStatistics) stored.getBucketStatistics.getCountCount > 0
    else true
}
