package io.sbbf.parquet.result

import io.sbbf.core.predicate.ColumnPath
import io.sbbf.parquet.footer.FileFooter
import io.sbbf.parquet.statistics.DeclaredType

/**
 * States what a reader needs to know about each file of a scan: which columns parquet-mr misreads,
 * and whether the file stores columns so that parquet-mr may trust its statistics further. Pruning
 * reports both; see [[FileStorage]].
 *
 * @param declaredTypes the columns, and the types that a file must store them as
 * @param nullCounts the columns whose NULLs every row group must count
 * @param columns the columns of the filters that parquet-mr may evaluate
 * @param probed the columns whose filters tasks may probe by themselves, so that planning has to check
 *   these filters, whatever evidence decides. There are none if tasks read only what planning keeps.
 */
private[sbbf] final case class StorageRequirements(
    declaredTypes: Map[ColumnPath, DeclaredType],
    nullCounts: Set[ColumnPath],
    columns: Set[ColumnPath] = Set.empty,
    probed: Set[ColumnPath] = Set.empty) {

  /**
   * Whether a file meets the requirements. False if there are none, because then no file can be
   * trusted further than others.
   *
   * @param caseSensitive whether column names have to agree in case
   */
  def areMetBy(footer: FileFooter, caseSensitive: Boolean): Boolean =
    (declaredTypes.nonEmpty || nullCounts.nonEmpty) && nullCounts.forall(
      footer.countsNulls(_, caseSensitive)) &&
      declaredTypes.forall { case (column, declared) =>
        footer.storesAsDeclared(column, declared, caseSensitive)
      }

  /** Whether every file that meets `other` also meets these requirements. */
  def areCoveredBy(other: StorageRequirements): Boolean =
    nullCounts.subsetOf(other.nullCounts) && declaredTypes.forall { case (column, declared) =>
      other.declaredTypes.get(column).contains(declared)
    }
}

private[sbbf] object StorageRequirements {
  val Empty: StorageRequirements = StorageRequirements(Map.empty, Set.empty)
}
