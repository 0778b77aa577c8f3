package io.sbbf.spark.inspect

import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.sources.{BaseRelation, DataSourceRegister, RelationProvider}

/**
 * `spark.read.format("sbbf").load(path)`: what the filters of Parquet files hold, or with the options `column`
 * and `value` (`valueHex` for binary columns), which row groups might hold a value. Columns: [[FilterListing]].
 */
final class SbbfSource extends RelationProvider with DataSourceRegister {
  override def shortName(): String = "sbbf"

  override def createRelation(
      context: SQLContext,
      parameters: Map[String, String]): BaseRelation =
    FilterListing(context, ListingOptions.parse(parameters))
}
