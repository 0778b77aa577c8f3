package io.sbbf.parquet.literal

import java.util
import java.util.concurrent.ConcurrentHashMap

import io.sbbf.core.bloom.XxHash64
import io.sbbf.core.predicate.RowGroupPredicate.{Greater, In, Leaf, Less, NotIn, Test}
import io.sbbf.core.predicate.{RowGroupPredicate, Value}
import io.sbbf.parquet.model.{ColumnType, KeyKind, LeafResult, Physical, ReaderRules}
import io.sbbf.parquet.statistics.{Bounds, BytesKeys, BytesRange, LongKeys, LongRange, Range}

/**
 * Caches the literals of one query as its files store them. A list of 100,000 values is sorted and
 * hashed once for each type in which files store the column, not once for each file. Leaves are
 * compared by identity. Thread-safe.
 *
 * @param reader the reader of the files
 */
final class LiteralEncodings(reader: ReaderRules = ReaderRules.Spark) {
  import LiteralEncodings._

  private val encoded = new ConcurrentHashMap[Key, BoundPredicate]

  /** Returns the leaf's test, bound to a column type. */
  private[parquet] def of(leaf: Leaf, kind: ColumnType): BoundPredicate =
    encoded.computeIfAbsent(new Key(leaf, kind), key => bind(key.leaf.test, key.kind, reader))
}

private[parquet] object LiteralEncodings {
  import BoundPredicate._
  import StoredLiteral._

  private final class Key(val leaf: Leaf, val kind: ColumnType) {
    override def equals(other: Any): Boolean = other match {
      case that: Key => (that.leaf eq leaf) && that.kind == kind
      case _ => false
    }
    override def hashCode: Int = 31 * System.identityHashCode(leaf) + kind.hashCode
  }

  /**
   * Limits the integers of a range that is treated as a list, because filters can be probed for a
   * list.
   */
  private final val MostListed = 64

  /** Returns the test, bound to a column type of files that `reader` reads. */
  def bind(test: Test, kind: ColumnType, reader: ReaderRules): BoundPredicate =
    if (reader != ReaderRules.Iceberg) encode(test, kind)
    else if (IcebergReads.asTable(test, kind)) encode(test, IcebergReads.typeFor(test, kind))
    else Unsupported(LeafResult.NotComparable)

  private def encode(test: Test, kind: ColumnType): BoundPredicate = test match {
    case RowGroupPredicate.IsNull => IsNull
    case RowGroupPredicate.IsNullDecimal(_, _) => IsNull // only bound for files whose values fit
    case RowGroupPredicate.IsNotNull => IsNotNull
    case In(values) => membership(values, kind, isNegated = false)
    case NotIn(values) => membership(values, kind, isNegated = true)
    case Less(than, orEqual) => below(StoredLiteral.of(than, kind), orEqual, kind)
    case Greater(than, orEqual) => above(StoredLiteral.of(than, kind), orEqual, kind)
    case RowGroupPredicate.AllOf(tests) => all(tests.map(encode(_, kind)), kind)
  }

  /** Merges ranges into one, and drops the literals that fail another test. */
  private def all(tests: Seq[BoundPredicate], kind: ColumnType): BoundPredicate = {
    val decidable = tests.collect { case test: ValueTest => test }
    val ranges = decidable.collect { case InRange(range, _) => range }
    val range = ranges.reduceOption(_ and _).map(r => listed(InRange(r, kind.isFloating), kind))
    val combined = range.toSeq ++ decidable.filter(!_.isInstanceOf[InRange])
    val literals = combined.collectFirst { case m: InSet if !m.isNegated => m }
    val isWhole = decidable.size == tests.size
    val parts =
      literals.fold(combined)(m => Seq(m.narrowed(combined.filter(_ ne m))))
    if (parts.isEmpty) tests.head
    else if (parts.size == 1 && isWhole) parts.head
    else AllOf(parts, isWhole)
  }

  private def membership(
      values: Seq[Value],
      kind: ColumnType,
      isNegated: Boolean): BoundPredicate = {
    val numbers = Array.newBuilder[Long]
    val byteStrings = Array.newBuilder[Array[Byte]]
    var unsupported: Option[LeafResult] = None
    val literals = values.iterator
    while (unsupported.isEmpty && literals.hasNext)
      StoredLiteral.of(literals.next(), kind) match {
        case Unencodable(result) => unsupported = Some(result)
        case Number(key, true) if isRepresentable(key, kind) => numbers += key
        case ByteString(key, true) if kind.width < 0 || key.length == kind.width =>
          byteStrings += key
        case _ => // no value of the column equals it
      }
    unsupported match {
      case Some(result) => Unsupported(result)
      case None if kind.keys == KeyKind.Bytes => ofBytes(byteStrings.result(), kind, isNegated)
      case None => ofNumbers(numbers.result(), kind, isNegated)
    }
  }

  private def isRepresentable(key: Long, kind: ColumnType): Boolean = kind.physical match {
    case Physical.Int32 => key == (if (kind.isSigned) key.toInt.toLong else key & 0xffffffffL)
    case Physical.Float32 =>
      val value = ColumnType.realOf(key)
      value.isNaN || value.toFloat.toDouble == value
    case _ => true
  }

  private def ofNumbers(keys: Array[Long], kind: ColumnType, isNegated: Boolean): InSet = {
    // zero occurs twice, because a filter holds the hash of the encoding that the data had
    val all = if (kind.isFloating && keys.contains(0L)) keys.distinct :+ 0L else keys.distinct
    util.Arrays.sort(all)
    val hashes = new Array[Long](all.length)
    var i = 0
    while (i < all.length) {
      val isSecondZero = kind.isFloating && i > 0 && all(i) == all(i - 1)
      hashes(i) = if (isSecondZero) hashOfReal(-0.0, kind) else hash(all(i), kind)
      i += 1
    }
    new InSet(new LongKeys(all), hashes, isNegated, kind.isFloating)
  }

  /** Returns the hash of a key's value in the PLAIN encoding of this column type. */
  private def hash(key: Long, kind: ColumnType): Long = kind.physical match {
    case Physical.Int32 => XxHash64.hashInt(key.toInt)
    case Physical.Int64 if !kind.isSigned => XxHash64.hashLong(key ^ Long.MinValue)
    case Physical.Int64 => XxHash64.hashLong(key)
    case Physical.Bool => XxHash64.hashBytes(Array(key.toByte))
    case Physical.Int96 => XxHash64.hashBytes(ColumnType.int96(key))
    case _ => hashOfReal(ColumnType.realOf(key), kind)
  }

  private def hashOfReal(value: Double, kind: ColumnType): Long =
    if (kind.physical == Physical.Float32)
      XxHash64.hashInt(java.lang.Float.floatToRawIntBits(value.toFloat))
    else XxHash64.hashLong(java.lang.Double.doubleToRawLongBits(value))

  private def ofBytes(keys: Array[Array[Byte]], kind: ColumnType, isNegated: Boolean): InSet = {
    util.Arrays.sort(keys, (a: Array[Byte], b: Array[Byte]) => Bounds.compare(a, b))
    val hashes = keys.map(key => XxHash64.hashBytes(kind.bytesKey(key)))
    new InSet(new BytesKeys(keys), hashes, isNegated, isFloating = false)
  }

  private def below(literal: StoredLiteral, orEqual: Boolean, kind: ColumnType): BoundPredicate =
    literal match {
      case Unencodable(result) => Unsupported(result)
      case BelowAll => InRange(nothing(kind), kind.isFloating)
      case AboveAll => InRange(everything(kind), kind.isFloating)
      case Number(Long.MinValue, true) if !orEqual => InRange(nothing(kind), kind.isFloating)
      case Number(key, true) if !orEqual =>
        InRange(LongRange(Long.MinValue, key - 1), kind.isFloating)
      case Number(floor, _) => InRange(LongRange(Long.MinValue, floor), kind.isFloating)
      case ByteString(floor, isExact) =>
        InRange(
          BytesRange(None, Some(BytesRange.End(floor, orEqual || !isExact))),
          isFloating = false)
    }

  private def above(literal: StoredLiteral, orEqual: Boolean, kind: ColumnType): BoundPredicate =
    literal match {
      case Unencodable(result) => Unsupported(result)
      case BelowAll => InRange(everything(kind), kind.isFloating)
      case AboveAll => InRange(nothing(kind), kind.isFloating)
      case Number(key, true) if orEqual => InRange(LongRange(key, Long.MaxValue), kind.isFloating)
      case Number(Long.MaxValue, _) => InRange(nothing(kind), kind.isFloating)
      case Number(floor, _) => InRange(LongRange(floor + 1, Long.MaxValue), kind.isFloating)
      case ByteString(floor, isExact) =>
        InRange(
          BytesRange(Some(BytesRange.End(floor, orEqual && isExact)), None),
          isFloating = false)
    }

  /** Returns a short range of integers as a list, and any other range unchanged. */
  private def listed(within: InRange, kind: ColumnType): ValueTest = within.range match {
    case range: LongRange if !kind.isFloating =>
      range
        .keys(MostListed)
        .fold[ValueTest](within)(keys =>
          ofNumbers(keys.filter(isRepresentable(_, kind)), kind, isNegated = false))
    case _ => within
  }

  private def everything(kind: ColumnType): Range =
    if (kind.keys == KeyKind.Bytes) BytesRange(None, None)
    else LongRange(Long.MinValue, Long.MaxValue)

  private def nothing(kind: ColumnType): Range =
    if (kind.keys == KeyKind.Bytes)
      BytesRange(None, Some(BytesRange.End(Array(), isIncluded = false)))
    else LongRange(1, 0)
}
