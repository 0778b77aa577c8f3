package io.sbbf.parquet.literal

import java.util.{Arrays, BitSet}

import io.sbbf.core.predicate.RowGroupPredicate.In
import io.sbbf.core.predicate.Value
import io.sbbf.parquet.literal.BoundPredicate.InSet
import io.sbbf.parquet.model.{ColumnType, ReaderRules}

/**
 * Many keys of a column, as files of one type store them. Immutable and thread-safe.
 *
 * @param literals all keys that hashes can find; None if there are none
 * @param hashes their hashes in ascending order
 * @param numbers the number of the key of each hash
 * @param others the tests of all other keys, with the numbers of these
 */
private[parquet] final class StoredKeys private (
    val literals: Option[InSet],
    val hashes: Array[Long],
    numbers: Array[Int],
    val others: Seq[(BoundPredicate, Int)]) {

  /** Adds the numbers of the keys that have this hash, which is one of [[hashes]]. */
  def addKeys(hash: Long, found: BitSet): Unit = {
    var i = Arrays.binarySearch(hashes, hash)
    while (i > 0 && hashes(i - 1) == hash) i -= 1
    while (i < hashes.length && hashes(i) == hash) {
      found.set(numbers(i))
      i += 1
    }
  }
}

private[parquet] object StoredKeys {
  def of(keys: IndexedSeq[Value], kind: ColumnType, reader: ReaderRules): StoredKeys = {
    def bound(values: Seq[Value]) = LiteralEncodings.bind(In(values), kind, reader)
    val (hashes, numbers) = (Array.newBuilder[Long], Array.newBuilder[Int])
    val (known, others) = (Seq.newBuilder[Value], Seq.newBuilder[(BoundPredicate, Int)])
    for (number <- keys.indices) {
      val test = bound(Seq(keys(number)))
      test.literals(kind) match {
        case Some(found) =>
          known += keys(number)
          found.hashes.foreach { hash =>
            hashes += hash
            numbers += number
          }
        case None => others += test -> number
      }
    }
    val (ofHash, all) = (numbers.result(), hashes.result())
    val order = all.indices.toArray.sortBy(all(_))
    val literals = known.result()
    new StoredKeys(
      if (literals.isEmpty) None else bound(literals).literals(kind),
      order.map(all(_)),
      order.map(ofHash(_)),
      others.result())
  }
}
