package io.sbbf.spark

import org.apache.spark.sql.execution.QueryExecution

/**
 * What the Python package calls of a classic session and SQL cannot reach; needs no more than an instance, from
 * whichever class loader has the JAR. All else goes through the catalog.
 */
final class SessionBridge {

  /** What was pruned of a query, as JSON; see the Python class that reads it. Plans the query if need be. */
  def explain(query: QueryExecution): String = PruneReport.json(query)
}
