package io.sbbf.spark.write

import org.apache.parquet.schema.MessageType

import io.sbbf.parquet.write.FilterRequest

/** @param size of the table, if the options need it */
private final case class ExactFilters(options: FilterOptions, size: Option[TableSize]) {

  /** Of a file that one of so many tasks writes. Throws as [[FilterOptions.requests]] does. */
  def requests(schema: MessageType, tasks: Int): Seq[FilterRequest] =
    options.requests(schema, size.get.rowGroups(tasks))
}
