package io.sbbf.spark.catalog

/** Procedures came with Spark 4.0. */
private[catalog] trait SbbfProcedures
