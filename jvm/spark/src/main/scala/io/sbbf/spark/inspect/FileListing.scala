package io.sbbf.spark.inspect

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.Row

import io.sbbf.core.bloom.{BloomFilterStats, SplitBlockBloomFilter}
import io.sbbf.core.predicate.Verdict
import io.sbbf.parquet.chunk.FilterState
import io.sbbf.parquet.eval.FileEvidence
import io.sbbf.parquet.input.{FileBytes, FileStore}
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.{Evidence, LeafResult, UnusableFile}
import io.sbbf.spark.util.RowFields

/**
 * Lists the rows of one file.
 *
 * @param store the store that opens the file
 * @param conf the configuration that leads to the keys of encrypted columns
 */
private[spark] final class FileListing(
    file: FileStatus,
    store: FileStore,
    request: ProbeRequest,
    conf: Configuration) {
  import FileListing.SaturatedFpp

  private val bytes =
    new FileBytes(store.source(file), file.getPath, file.getLen)
  private val open = () => bytes

  /**
   * Returns the rows in the order of row groups and columns. They include columns that are
   * encrypted with a missing key. A file that cannot be read has one row with the reason.
   */
  def rows(): Seq[Row] =
    try rows(request.evidence(bytes, conf))
    catch {
      case e: UnusableFile => Seq(row(verdict = shown(Verdict.MightMatch), reason = e.reason))
      case NonFatal(e) =>
        Seq(
          row(verdict = shown(Verdict.MightMatch), reason = s"unreadable: ${e.getClass.getName}"))
    } finally bytes.close()

  private def rows(evidence: FileEvidence): Seq[Row] = {
    val footer = evidence.footer
    val bound = request.leaf.map(
      evidence.bind(_, request.lookup, new LiteralEncodings(request.lookup.reader)))
    val column = request.column.map(_.indexIn(evidence, request.lookup.caseSensitive))
    for {
      rowGroup <- 0 until footer.numRowGroups
      c <- column.fold[Seq[Int]](0 until footer.numColumns)(Seq(_))
      if column.isDefined || evidence.filterOffset(rowGroup, c) > 0 ||
        evidence.isUnreadable(rowGroup, c)
    } yield listed(evidence, rowGroup, c, bound.map(_.evalContents(rowGroup, open)))
  }

  private def listed(
      evidence: FileEvidence,
      rowGroup: Int,
      column: Int,
      result: Option[LeafResult]): Row = {
    val footer = evidence.footer
    if (column < 0)
      row(
        rowGroup,
        request.column.get.name,
        footer.numRows(rowGroup),
        verdict = shown(Verdict.MightMatch),
        reason = "column not in the file, or more than one of that name"
      )
    else {
      val state = evidence.filter(rowGroup, column, bytes)
      val found = result
        .map(r => (r.evidence.name, r.reason))
        .getOrElse(state match {
          case FilterState.Present(_, _, bitset) => (Evidence.Bloom.name, saturation(bitset))
          case FilterState.Rejected(reason) => (Evidence.None.name, reason)
          case FilterState.Absent => (Evidence.None.name, "no filter")
        })
      row(
        rowGroup,
        footer.columnName(column),
        footer.numRows(rowGroup),
        evidence.physicalType(column),
        known(evidence.nullCount(rowGroup, column)),
        known(evidence.filterOffset(rowGroup, column)),
        state,
        found._1,
        result.map(_.verdict.name),
        found._2
      )
    }
  }

  /** Returns a hint if the filter has so many bits that it rarely refutes a value, else nothing. */
  private def saturation(bitset: Array[Byte]): String = {
    val fpp = BloomFilterStats.effectiveFpp(bitset)
    if (fpp < SaturatedFpp) ""
    else f"saturated: ${100 * fpp}%.0f %% of absent values pass; write a larger filter"
  }

  private def shown(verdict: Verdict): Option[String] = request.leaf.map(_ => verdict.name)
  private def known(value: Long): Option[Long] = if (value < 0) None else Some(value)

  private def row(
      rowGroup: Any = null,
      column: String = null,
      rows: Any = null,
      physicalType: String = null,
      nulls: Option[Long] = None,
      offset: Option[Long] = None,
      state: FilterState = FilterState.Absent,
      evidence: String = Evidence.None.name,
      verdict: Option[String],
      reason: String): Row = {
    val filter = state match {
      case FilterState.Present(_, headerBytes, bitset) =>
        Seq(
          "bloom_filter_length" -> (headerBytes + bitset.length),
          "filter_bytes" -> bitset.length,
          "blocks" -> bitset.length / SplitBlockBloomFilter.BytesPerBlock,
          "fill" -> BloomFilterStats.fillRatio(bitset),
          "fpp" -> BloomFilterStats.effectiveFpp(bitset),
          "distinct_estimate" -> BloomFilterStats.distinctEstimate(bitset),
          "checks" -> "passed"
        )
      case FilterState.Rejected(_) if offset.isDefined => Seq("checks" -> "failed")
      case _ => Nil // no filter, or one whose metadata cannot be read
    }
    val values = Seq(
      "file_name" -> file.getPath.toString,
      "row_group_id" -> rowGroup,
      "path_in_schema" -> column,
      "row_group_num_rows" -> rows,
      "type" -> physicalType,
      "stats_null_count" -> nulls,
      "bloom_filter_offset" -> offset,
      "evidence" -> evidence,
      "verdict" -> verdict,
      "reason" -> reason
    )
    RowFields.row(FilterListing.Schema, values ++ filter: _*)
  }
}

private object FileListing {

  /** The false positive probability from which on `reason` names a filter as saturated. */
  private final val SaturatedFpp = 0.2
}
