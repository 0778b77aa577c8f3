package io.sbbf.spark.late

import org.apache.logging.log4j.Level

import io.sbbf.spark.testing.Logged

/** Queries that fail while late keys prune them. */
class LateKeysFaultsSuite extends LateKeysTables {

  test("a subquery that fails, fails as without the extension.") {
    val text = "SELECT * FROM log WHERE k = (SELECT k FROM few)"
    val (error, messages) =
      Logged.during(Level.WARN)(intercept[Exception](rows(query(text))))
    assert(error.getMessage.toLowerCase.contains("one row"))
    assert(!messages.exists(_.contains("PruneByLateKeys")), messages)
  }
}
