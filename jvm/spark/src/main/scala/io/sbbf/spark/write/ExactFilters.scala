package io.sbbf.spark.write

import org.apache.parquet.schema.MessageType

import io.sbbf.parquet.write.FilterRequest

/**
 * The bloom filters that a write requests.
 *
 * @param size the size of the table, if the options need it
 */
private final case class ExactFilters(options: FilterOptions, size: Option[TableSize]) {

  /**
   * Returns the filters of a file that one of `tasks` tasks writes. Throws as
   * [[FilterOptions.requests]] does.
   */
  def requests(schema: MessageType, tasks: Int): Seq[FilterRequest] =
    options.requests(schema, size.get.rowGroups(tasks))
}
