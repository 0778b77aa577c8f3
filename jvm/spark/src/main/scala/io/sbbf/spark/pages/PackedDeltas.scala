package io.sbbf.spark.pages

import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForLong
import org.apache.spark.sql.execution.datasources.parquet.VectorizedDeltaBinaryPackedReader
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.LongType

import io.sbbf.parquet.model.RecoverableError

/**
 * Finds out whether Spark's reader of DELTA_BINARY_PACKED returns the right values after it has skipped
 * some. Before Spark 4.3 it begins again with the first value of the page where it reads no values
 * in between (findings/spark-delta-skips.sh).
 */
private[spark] object PackedDeltas {

  /** Whether it does. Tests the reader, because distributions backport fixes. */
  lazy val areSkippedCorrectly: Boolean =
    try readAfterSkip() == Second
    catch { case RecoverableError(_) => false }

  private final val Second = 7L

  private def readAfterSkip(): Long = {
    val page = new DeltaBinaryPackingValuesWriterForLong(64, 64, new HeapByteBufferAllocator)
    val values = Seq(3L, Second)
    values.foreach(page.writeLong)
    val vector = new OnHeapColumnVector(values.size, LongType)
    try {
      val reader = new VectorizedDeltaBinaryPackedReader
      reader.initFromPage(values.size, page.getBytes.toInputStream)
      reader.skipLongs(1)
      reader.readLongs(0, vector, 0)
      reader.readLongs(1, vector, 0)
      vector.getLong(0)
    } finally {
      vector.close()
      page.close()
    }
  }
}
