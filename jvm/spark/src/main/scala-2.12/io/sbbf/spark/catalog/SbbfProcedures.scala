package io.sbbf.spark.catalog

/** Has no procedures, because Spark supports them since 4.0. */
private[catalog] trait SbbfProcedures
