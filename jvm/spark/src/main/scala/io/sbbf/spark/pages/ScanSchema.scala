package io.sbbf.spark.pages

import org.apache.spark.sql.types.StructType

/**
 * The columns of a scan.
 *
 * @param required those that it reads from files
 * @param data all columns of the files
 * @param partitions those whose values come from folders, also if files have them as well
 */
private[spark] final case class ScanSchema(
    required: StructType,
    data: StructType,
    partitions: StructType)
