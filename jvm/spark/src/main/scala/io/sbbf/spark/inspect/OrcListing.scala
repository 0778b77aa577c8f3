package io.sbbf.spark.inspect

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.analysis.{caseInsensitiveResolution, caseSensitiveResolution}

import io.sbbf.core.predicate.Verdict
import io.sbbf.orc.prune.StripeProbe
import io.sbbf.parquet.model.{Evidence, LeafResult}
import io.sbbf.spark.util.RowFields

/** Lists the rows of one ORC file: one for each stripe and column with filters. */
private[spark] final class OrcListing(
    file: FileStatus,
    request: ProbeRequest,
    conf: Configuration) {

  /**
   * Returns the rows in the order of stripes and columns. A file that cannot be read has one row
   * with the reason.
   */
  def rows(): Seq[Row] =
    try {
      val path = file.getPath
      val probe = new StripeProbe(path.getFileSystem(conf), path, file.getLen, conf)
      try rows(probe)
      finally probe.close()
    } catch {
      case NonFatal(e) => Seq(row(reason = s"unreadable: ${e.getClass.getName}"))
    }

  private def rows(probe: StripeProbe): Seq[Row] = {
    val isSame =
      if (request.lookup.caseSensitive) caseSensitiveResolution else caseInsensitiveResolution
    val wanted =
      request.column.map(named => probe.columns.filter(c => isSame(c.name, named.name)))
    val results = request.leaf.map(probe.results(_, request.lookup))
    for {
      stripe <- 0 until probe.stripes
      filters = probe.filters(stripe)
      listed <- wanted match {
        case None => probe.columns.filter(c => filters.contains(c.number)).map(Some(_))
        case Some(Seq(one)) => Seq(Some(one))
        case Some(_) => Seq(None)
      }
    } yield listed match {
      case Some(column) =>
        row(stripe, column, probe, filters.get(column.number), results.map(_(stripe)))
      case None =>
        row(
          stripe,
          request.column.get.name,
          probe.rows(stripe),
          reason = "column not in the file, or more than one of that name")
    }
  }

  private def row(
      stripe: Int,
      column: StripeProbe.Column,
      probe: StripeProbe,
      filters: Option[StripeProbe.Filters],
      result: Option[LeafResult]): Row = {
    val (evidence, reason) = result match {
      case Some(known) => (known.evidence, known.reason)
      case None if filters.isDefined => (Evidence.Bloom, "")
      case None => (Evidence.None, "no filter")
    }
    row(
      stripe,
      column.name,
      probe.rows(stripe),
      column.typeName,
      probe.nulls(stripe, column.number),
      filters,
      evidence,
      result.map(_.verdict),
      reason)
  }

  private def row(
      stripe: Any = null,
      column: String = null,
      rows: Any = null,
      typeName: String = null,
      nulls: Option[Long] = None,
      filters: Option[StripeProbe.Filters] = None, // several have no one offset and length
      evidence: Evidence = Evidence.None,
      verdict: Option[Verdict] = Some(Verdict.MightMatch),
      reason: String): Row =
    RowFields.row(
      FilterListing.Schema,
      "file_name" -> file.getPath.toString,
      "row_group_id" -> stripe,
      "path_in_schema" -> column,
      "row_group_num_rows" -> rows,
      "type" -> typeName,
      "stats_null_count" -> nulls,
      "filter_bytes" -> filters.map(_.bytes),
      "fill" -> filters.map(_.fill),
      "fpp" -> filters.map(_.fpp),
      "checks" -> filters.map(_ => "passed"),
      "evidence" -> evidence.name,
      "verdict" -> verdict.filter(_ => request.leaf.isDefined).map(_.name),
      "reason" -> reason
    )
}

private[spark] object OrcListing {

  /** Returns whether a file is listed as ORC, by its name. */
  def is(file: Path): Boolean = file.getName.endsWith(".orc")
}
