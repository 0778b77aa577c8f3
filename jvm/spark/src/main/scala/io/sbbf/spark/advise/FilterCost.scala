package io.sbbf.spark.advise

/** Of one row group's filter, on average. */
private[advise] final case class FilterCost(bytes: Double, fpp: Double)
