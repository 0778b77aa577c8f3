package io.sbbf.orc.prune

import java.io.Closeable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.orc.util.BloomFilter
import org.apache.orc.{OrcConf, TypeDescription}

import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.orc.eval.ReadSchema
import io.sbbf.orc.file.{OrcFileReader, RowGroups}
import io.sbbf.parquet.model.{ColumnLookup, LeafResult}

/**
 * Lists what the stripes of one file state about its columns, and evaluates a leaf on them. Not
 * thread-safe.
 *
 * @param length the length of the file in bytes, as its listing reported it
 * @throws java.io.IOException if the file cannot be read or is no ORC file; so do all methods
 */
private[sbbf] final class StripeProbe(
    fs: FileSystem,
    path: Path,
    length: Long,
    hadoopConf: Configuration)
    extends Closeable {
  import StripeProbe._

  private val reader =
    OrcFileReader.open(fs, path, length, OrcFileReader.settings(hadoopConf))
  // of no known columns, so that one by position might hold anything
  private val table =
    ReadSchema(Nil, OrcConf.FORCE_POSITIONAL_EVOLUTION.getBoolean(hadoopConf))
  private val evidence = new StripeEvidence(reader.tail, mostRetained = Long.MaxValue)

  def stripes: Int = reader.tail.stripes.size
  def rows(stripe: Int): Long = reader.tail.stripes(stripe).rows

  /** The columns without those of fields, in the order of their numbers. */
  val columns: IndexedSeq[Column] = leaves("", reader.tail.schema).toIndexedSeq

  /** Returns the number of rows in which the column is NULL, None if it is unknown. */
  def nulls(stripe: Int, column: Int): Option[Long] =
    Option(evidence.ofStripes(column, () => reader)(stripe))
      .map(known => rows(stripe) - known.getNumberOfValues)

  /** Returns what the filters of the stripe's row groups hold, by the numbers of their columns. */
  def filters(stripe: Int): Map[Int, Filters] =
    evidence.ofRowGroups(stripe, columns.map(_.number), () => reader).flatMap {
      case (column, rowGroups) => rowGroups.flatMap(filtersOf).map(column -> _)
    }

  /** Returns a function from the number of a stripe to the leaf's result. */
  def results(leaf: Leaf, lookup: ColumnLookup): Int => LeafResult = {
    val binding = new SchemaBinding(leaf, reader.tail.schema, table, lookup)
    val evaluator = new StripeEvaluator(binding, evidence, () => reader)
    stripe => reader.tail.unusable.fold(evaluator.evaluate(stripe))(LeafResult.unknown)
  }

  override def close(): Unit = reader.close()
}

private[sbbf] object StripeProbe {

  /**
   * A column without fields of its own.
   *
   * @param name the dotted path
   */
  final case class Column(number: Int, name: String, typeName: String)

  /**
   * The bloom filters of a stripe's row groups.
   *
   * @param bytes the size of their bits
   * @param fill the share of bits that are set
   * @param fpp the probability that at least one of them might hold an absent value
   */
  final case class Filters(bytes: Int, fill: Double, fpp: Double)

  private def leaves(path: String, of: TypeDescription): Seq[Column] = of.getCategory match {
    case TypeDescription.Category.STRUCT =>
      (0 until of.getChildren.size).flatMap { n =>
        val name = of.getFieldNames.get(n)
        leaves(if (path.isEmpty) name else s"$path.$name", of.getChildren.get(n))
      }
    case _ => Seq(Column(of.getId, path, of.toString))
  }

  private def filtersOf(rowGroups: RowGroups): Option[Filters] = {
    val filters = (0 until rowGroups.size).map(rowGroups.filter).filter(_ != null)
    if (filters.isEmpty) None
    else {
      val set = filters.map(setBits).sum
      val refuting = filters
        .map(f =>
          1 - math.pow(setBits(f).toDouble / f.getBitSize, f.getNumHashFunctions.toDouble))
        .product
      Some(
        Filters(
          filters.map(_.sizeInBytes).sum.toInt,
          set.toDouble / filters.map(_.getBitSize.toLong).sum,
          1 - refuting))
    }
  }

  private def setBits(filter: BloomFilter): Long =
    filter.getBitSet.iterator.map(java.lang.Long.bitCount(_).toLong).sum
}
