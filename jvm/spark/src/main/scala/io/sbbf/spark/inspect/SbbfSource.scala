package io.sbbf.spark.inspect

import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.sources.{BaseRelation, DataSourceRegister, RelationProvider}

/**
 * Implements `spark.read.format("sbbf").load(path)`, which lists the bloom filters of Parquet
 * and ORC files. With the options `column` and `value` (`value_hex` for bytes) it shows
 * which row groups might hold a value. [[FilterListing]] has the columns. With `keys`, the name of a
 * table or view, it shows which row groups might hold which key of that table; [[KeyListing]] has
 * the columns. `where` selects partitions.
 */
final class SbbfSource extends RelationProvider with DataSourceRegister {
  override def shortName(): String = "sbbf"

  override def createRelation(
      context: SQLContext,
      parameters: Map[String, String]): BaseRelation = {
    val options = ListingOptions.parse(parameters)
    options.keys match {
      case None => FilterListing(context, options)
      // the plan of the keys is taken now: later, the name may stand for others or for none
      case Some(keys) => new KeyListing(context, options, context.sparkSession.table(keys))
    }
  }
}
