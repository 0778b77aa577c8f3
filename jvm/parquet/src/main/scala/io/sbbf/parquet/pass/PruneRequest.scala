package io.sbbf.parquet.pass

import io.sbbf.core.predicate.RowGroupPredicate
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.parquet.model.ColumnLookup
import io.sbbf.parquet.result.StorageRequirements

/**
 * What a scan looks for in its files.
 *
 * @param lookup the rules by which its readers find columns
 * @param requirements what its readers need to know of how a file stores them
 */
private[sbbf] final case class PruneRequest(
    predicate: RowGroupPredicate,
    lookup: ColumnLookup,
    limits: PlanningLimits,
    requirements: StorageRequirements = StorageRequirements.Empty) {

  /** The literals as files store them, once for all files. */
  @transient lazy val encodings: LiteralEncodings = new LiteralEncodings(lookup.reader)
}
