package io.sbbf.spark.advise

/**
 * What was looked at of a table.
 *
 * @param seen row groups that were looked at
 * @param scale how many times as large the table is as that
 */
private[advise] final case class SampleScope(seen: Int, scale: Double) {
  def rowGroups: Double = seen * scale
}
