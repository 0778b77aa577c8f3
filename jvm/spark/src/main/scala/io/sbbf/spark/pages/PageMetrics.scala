package io.sbbf.spark.pages

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** Counts what tasks leave out of kept row groups. */
private[spark] final class PageMetrics(context: SparkContext) extends Serializable {
  private val rows = SQLMetrics.createMetric(context, "sbbf: rows skipped in pages")
  private val pagesRead = SQLMetrics.createMetric(context, "sbbf: pages read")
  private val pagesSkipped = SQLMetrics.createMetric(context, "sbbf: pages skipped")
  private val bytes = SQLMetrics.createSizeMetric(context, "sbbf: bytes of skipped pages")

  @transient lazy val all: Seq[SQLMetric] = Seq(rows, pagesRead, pagesSkipped, bytes)

  def counts: PageCounts = PageCounts(pagesRead.value, pagesSkipped.value, rows.value)

  def add(sizes: PageSizes, skippedRows: Long): Unit = {
    rows.add(skippedRows)
    pagesRead.add(sizes.read.toLong)
    pagesSkipped.add(sizes.skipped.toLong)
    bytes.add(sizes.bytesSkipped)
  }
}

/** The pages that tasks have read and left out of row groups with a row that passed, and all rows left out. */
private[spark] final case class PageCounts(read: Long, skipped: Long, skippedRows: Long)

private[spark] object PageCounts {
  val Zero: PageCounts = PageCounts(0, 0, 0)
}
