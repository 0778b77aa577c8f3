package io.sbbf.spark.advise

/**
 * The part of a table whose footers were read.
 *
 * @param seen the row groups of that part
 * @param scale the size of the table as a multiple of that part
 */
private[advise] final case class SampleScope(seen: Int, scale: Double) {
  def rowGroups: Double = seen * scale
}
