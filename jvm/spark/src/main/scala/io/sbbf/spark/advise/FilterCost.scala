package io.sbbf.spark.advise

/** The average size and FPP of one row group's filter. */
private[advise] final case class FilterCost(bytes: Double, fpp: Double)
