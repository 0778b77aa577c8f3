package io.sbbf.spark.inspect

import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.sources.{BaseRelation, DataSourceRegister, RelationProvider}

/**
 * Implements `spark.read.format("sbbf").load(path)`, which lists the bloom filters of Parquet
 * files. With the options `column` and `value` (`value_hex` for binary columns) it shows which row
 * groups might hold a value. [[FilterListing]] has the columns.
 */
final class SbbfSource extends RelationProvider with DataSourceRegister {
  override def shortName(): String = "sbbf"

  override def createRelation(
      context: SQLContext,
      parameters: Map[String, String]): BaseRelation =
    FilterListing(context, ListingOptions.parse(parameters))
}
