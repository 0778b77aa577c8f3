package io.sbbf.parquet.eval

import java.util.BitSet
import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import io.sbbf.core.kernel.Kernels
import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.{ColumnPath, Value, Verdict}
import io.sbbf.parquet.chunk.{DictionaryReader, FilterState}
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.literal.BoundPredicate.InSet
import io.sbbf.parquet.literal.{BoundPredicate, StoredKeys}
import io.sbbf.parquet.model.{ColumnLookup, ColumnType, Evidence, LeafResult}

/**
 * Finds which of many keys the row groups of one file might hold. Each key has the result that a
 * leaf of it alone has, but all keys together are searched in one pass over a filter or a
 * dictionary.
 */
final class KeyEvaluator private[eval] (keys: KeySet, evidence: FileEvidence) {
  private val footer = evidence.footer
  private val place = evidence.locate(keys.leaf, keys.lookup)

  /**
   * Returns the keys that the row group might hold, by their results. A key that no evidence refutes
   * is among them, and no other one.
   *
   * @param bytes a function that returns the file to read from
   */
  def eval(rowGroup: Int, bytes: () => FileBytes): Seq[KeyHits] = place match {
    case Left(result) => all(new ConstantLeaf(footer, result).evalStatistics(rowGroup))
    case Right(column) if evidence.isUnreadable(rowGroup, column) =>
      all(leaf(column, BoundPredicate.IsNotNull).evalStatistics(rowGroup))
    case Right(column) =>
      val stored = keys.storedAs(footer.schema.column(column).columnType)
      val together = stored.literals.toSeq.flatMap { literals =>
        val result = leaf(column, literals).evalContents(rowGroup, bytes)
        if (result.verdict == Verdict.CannotMatch) Nil
        else {
          val found = new BitSet(keys.values.size)
          search(rowGroup, column, literals, result.evidence, bytes)(stored.addKeys(_, found))
          Seq(KeyHits(result, found))
        }
      }
      together ++ oneByOne(stored.others, rowGroup, column, bytes)
  }

  private def all(result: LeafResult): Seq[KeyHits] =
    if (result.verdict == Verdict.CannotMatch) Nil
    else {
      val every = new BitSet(keys.values.size)
      every.set(0, keys.values.size)
      Seq(KeyHits(result, every))
    }

  private def leaf(column: Int, test: BoundPredicate): ColumnLeaf =
    new ColumnLeaf(evidence, column, test, () => false)

  /**
   * Passes the hashes of the literals that the row group might hold to `found`.
   *
   * @param by the evidence that did not refute all of them
   */
  private def search(
      rowGroup: Int,
      column: Int,
      literals: InSet,
      by: Evidence,
      bytes: () => FileBytes)(found: Long => Unit): Unit = {
    val within =
      literals.hashesWithin(footer.bounds, footer.chunk(rowGroup, column), Int.MaxValue)
    val hashes = within.getOrElse(literals.hashes)
    by match {
      case Evidence.Dictionary =>
        dictionary(rowGroup, column, literals, bytes) match {
          case DictionaryReader.Readable(entries) =>
            entries.foreachIn(literals.sortedHashes)(found)
          case _ => hashes.foreach(found)
        }
      case Evidence.Bloom =>
        evidence.filter(rowGroup, column, bytes()) match {
          case FilterState.Present(_, _, bitset) => probe(bitset, hashes)(found)
          case _ => hashes.foreach(found)
        }
      case _ => hashes.foreach(found)
    }
  }

  private def dictionary(
      rowGroup: Int,
      column: Int,
      literals: InSet,
      bytes: () => FileBytes): DictionaryReader.State =
    try evidence.readDictionary(rowGroup, column, literals, bytes())
    catch { case NonFatal(_) => DictionaryReader.Absent }

  private def probe(bitset: Array[Byte], hashes: Array[Long])(found: Long => Unit): Unit = {
    val matches = new Array[Long]((hashes.length + 63) / 64)
    Kernels.probe(bitset, hashes, 0, hashes.length, matches)
    val hits = BitSet.valueOf(matches)
    var i = hits.nextSetBit(0)
    while (i >= 0) {
      found(hashes(i))
      i = hits.nextSetBit(i + 1)
    }
  }

  /** Evaluates keys that hashes cannot find, such as NaN. */
  private def oneByOne(
      others: Seq[(BoundPredicate, Int)],
      rowGroup: Int,
      column: Int,
      bytes: () => FileBytes): Seq[KeyHits] =
    others
      .map { case (test, key) => leaf(column, test).evalContents(rowGroup, bytes) -> key }
      .filter(_._1.verdict != Verdict.CannotMatch)
      .groupBy(_._1)
      .map { case (result, of) =>
        val found = new BitSet(keys.values.size)
        of.foreach { case (_, key) => found.set(key) }
        KeyHits(result, found)
      }
      .toSeq
}

/**
 * Many keys of one column. They are sorted and hashed once for each type in which files store the
 * column. Thread-safe.
 *
 * @param values the keys, all distinct
 * @param lookup the rules by which the column is found and its values are read
 */
final class KeySet(
    val column: ColumnPath,
    val values: IndexedSeq[Value],
    val lookup: ColumnLookup) {

  private val stored = new ConcurrentHashMap[ColumnType, StoredKeys]

  private[eval] val leaf: Leaf = Leaf(column, In(values))

  private[eval] def storedAs(kind: ColumnType): StoredKeys =
    stored.computeIfAbsent(kind, StoredKeys.of(values, _, lookup.reader))

  /** Returns the evaluator of the keys for a file. */
  def bind(evidence: FileEvidence): KeyEvaluator = new KeyEvaluator(this, evidence)
}

/**
 * Keys that a row group might hold.
 *
 * @param result the result of each of them alone, which never refutes
 * @param keys the numbers of the keys
 */
final case class KeyHits(result: LeafResult, keys: BitSet)
