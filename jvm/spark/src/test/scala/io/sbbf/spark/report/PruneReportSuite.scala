package io.sbbf.spark.report

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.execution.datasources.LogicalRelation

import io.sbbf.spark.files.PrunedFileScan
import io.sbbf.spark.testing.SparkSuite

class PruneReportSuite extends SparkSuite {

  test("a scan whose physical plan reads all files is not reported as pruned.") {
    val table = saved("events", spark.range(100).toDF())
    def lookup() = spark.read.parquet(table).where("id = 5").queryExecution
    val index = lookup().optimizedPlan.collectFirst { case PrunedFileScan(_, index) => index }.get
    spark.conf.set("spark.sbbf.enabled", "false")
    val query = lookup()
    query.optimizedPlan.collectLeaves().foreach { case leaf: LogicalRelation =>
      PrunedFileScan.mark(leaf, index)
    }
    val report = new ObjectMapper().readTree(PruneReport.of(query).json)
    spark.conf.unset("spark.sbbf.enabled")
    assert(report.get("scans").isEmpty)
    assert(report.get("unpruned").size == 1)
  }
}
