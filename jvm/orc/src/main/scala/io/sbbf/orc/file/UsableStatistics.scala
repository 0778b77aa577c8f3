package io.sbbf.orc.file

import org.apache.orc.OrcFile.WriterVersion
import org.apache.orc.TypeDescription.Category
import org.apache.orc.impl.ColumnStatisticsImpl
import org.apache.orc.{ColumnStatistics, OrcProto, Reader, TypeDescription}

/**
 * Reads statistics, without those that are incomplete or that their writers got wrong.
 *
 * ORC's reader takes an absent count, and an absent bound of a text, for "no value", and an absent
 * bound of a number for the least or greatest one. All would refute row groups that hold matches.
 */
private[file] final class UsableStatistics(reader: Reader) {
  import UsableStatistics._

  private val version = reader.getWriterVersion
  private val isByCpp = reader.getFileTail.getFooter.getWriter == FilterSupport.CppWriter

  /** Whether the maximum of texts in stripes is right; that in row groups always is (HIVE-8732). */
  val areRightInStripes: Boolean = version != WriterVersion.ORIGINAL

  /** Returns the statistics of a column of type `of`, null if they are unusable. */
  def read(stored: OrcProto.ColumnStatistics, of: TypeDescription): ColumnStatistics =
    if (!stored.hasNumberOfValues || isWrong(of)) null
    else if (stored.getNumberOfValues > 0 && !isBounded(stored)) null
    else
      // as RecordReaderImpl does: with the type, concurrent reads of decimals share a buffer, and
      // without the conversion, dates equal no literal
      ColumnStatisticsImpl.deserialize(null, stored, reader.writerUsedProlepticGregorian, true)

  /**
   * ORC 1.5.0 to 1.5.5 wrote wrong bounds of short decimals (ORC-517), and the C++ library on ARM
   * those of negative bytes (ORC-1725).
   */
  private def isWrong(of: TypeDescription): Boolean = of.getCategory match {
    case Category.DECIMAL =>
      version == WriterVersion.ORC_135 && of.getPrecision <= TypeDescription.MAX_DECIMAL64_PRECISION
    case Category.BYTE => isByCpp
    case _ => false
  }
}

private object UsableStatistics {

  /** What writers store instead of bytes that are not UTF-8; it orders otherwise. */
  private final val Replacement = '\ufffd'

  /** Returns whether the bounds of comparable types are there, and hold for all values. */
  private def isBounded(stored: OrcProto.ColumnStatistics): Boolean =
    if (stored.hasIntStatistics)
      stored.getIntStatistics.hasMinimum && stored.getIntStatistics.hasMaximum
    else if (stored.hasDoubleStatistics) areNumbers(stored.getDoubleStatistics)
    else if (stored.hasDateStatistics)
      stored.getDateStatistics.hasMinimum && stored.getDateStatistics.hasMaximum
    else if (stored.hasDecimalStatistics)
      stored.getDecimalStatistics.hasMinimum && stored.getDecimalStatistics.hasMaximum
    else if (stored.hasStringStatistics) areTexts(stored.getStringStatistics)
    else if (stored.hasBucketStatistics) stored.getBucketStatistics.getCountCount > 0
    else true

  /** NaN is in the sum, but maybe not in the bounds. */
  private def areNumbers(stored: OrcProto.DoubleStatistics): Boolean =
    stored.hasMinimum && stored.hasMaximum && stored.hasSum &&
      !stored.getSum.isNaN && !stored.getMinimum.isNaN && !stored.getMaximum.isNaN

  private def areTexts(stored: OrcProto.StringStatistics): Boolean =
    (stored.hasMinimum || stored.hasLowerBound) && (stored.hasMaximum || stored.hasUpperBound) &&
      Seq(stored.getMinimum, stored.getLowerBound, stored.getMaximum, stored.getUpperBound)
        .forall(_.indexOf(Replacement.toInt) < 0)
}
