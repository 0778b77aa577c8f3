package io.sbbf.spark.inspect

import java.util.BitSet

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.core.predicate.RowGroupPredicate.{In, Leaf}
import io.sbbf.core.predicate.Verdict
import io.sbbf.orc.prune.StripeProbe
import io.sbbf.parquet.eval.{KeyHits, KeySet}
import io.sbbf.parquet.input.{FileBytes, FileStore}
import io.sbbf.parquet.model.{LeafResult, UnusableFile}
import io.sbbf.spark.column.CatalystValue

/**
 * Finds the keys that row groups of files might hold, in a task.
 *
 * @param keys the distinct keys, as values of Catalyst
 * @param conf the configuration that leads to the keys of encrypted columns
 */
private[inspect] final class KeyRows(
    keys: Array[Any],
    column: ProbedColumn,
    request: ProbeRequest,
    store: FileStore,
    conf: Configuration) {
  import KeyRows._

  /** The values that files may store, each with the number of its key. */
  private val stored: IndexedSeq[(Any, Int)] =
    keys.toIndexedSeq.zipWithIndex.flatMap { case (key, n) => column.stored(key).map(_ -> n) }

  private val set = new KeySet(
    column.path,
    stored.map { case (value, _) => CatalystValue.convert(value, column.dataType).get },
    column.lookup)

  /** Returns the rows of a file ([[KeyListing.schema]]), in the order of row groups. */
  def ofFile(file: FileStatus): Iterator[InternalRow] = {
    val name = UTF8String.fromString(file.getPath.toString)
    for {
      found <- (if (keys.isEmpty) Nil else search(file)).iterator
      seen = new BitSet(keys.length)
      hits <- found.hits.iterator
      (evidence, reason) = texts(hits.result)
      key <- numbers(hits.keys).map(stored(_)._2).filterNot(seen.get)
    } yield {
      seen.set(key)
      InternalRow(keys(key), name, found.id, found.rows, evidence, reason)
    }
  }

  private def search(file: FileStatus): Seq[RowGroup] =
    try if (request.isOrc(file)) ofOrc(file) else ofParquet(file)
    catch {
      case e: UnusableFile => anyKey(e.reason)
      case NonFatal(e) => anyKey(s"unreadable: ${e.getClass.getName}")
    }

  private def anyKey(reason: String): Seq[RowGroup] = {
    val every = new BitSet(stored.length)
    every.set(0, stored.length)
    Seq(RowGroup(null, null, Seq(KeyHits(LeafResult.unknown(reason), every))))
  }

  private def ofParquet(file: FileStatus): Seq[RowGroup] = {
    val bytes = new FileBytes(store.source(file), file.getPath, file.getLen)
    try {
      val evidence = request.evidence(bytes, conf)
      val evaluator = set.bind(evidence)
      (0 until evidence.footer.numRowGroups).map { g =>
        RowGroup(g, evidence.footer.numRows(g), evaluator.eval(g, () => bytes))
      }
    } finally bytes.close()
  }

  /** Evaluates the keys one by one, because ORC's library does, but only if a stripe might hold any. */
  private def ofOrc(file: FileStatus): Seq[RowGroup] = {
    val path = file.getPath
    val probe = new StripeProbe(path.getFileSystem(conf), path, file.getLen, conf)
    try {
      val any = probe.results(Leaf(column.path, In(set.values)), column.lookup)
      val stripes = (0 until probe.stripes).filter(any(_).verdict != Verdict.CannotMatch)
      val found = for {
        (value, key) <- if (stripes.isEmpty) Nil else set.values.zipWithIndex
        result = probe.results(Leaf(column.path, In(Seq(value))), column.lookup)
        stripe <- stripes
        if result(stripe).verdict != Verdict.CannotMatch
      } yield (stripe, result(stripe), key)
      found.groupBy(_._1).toSeq.sortBy(_._1).map { case (stripe, ofStripe) =>
        val hits = ofStripe.groupBy(_._2).map { case (result, same) =>
          val numbers = new BitSet(stored.length)
          same.foreach { case (_, _, key) => numbers.set(key) }
          KeyHits(result, numbers)
        }
        RowGroup(stripe, probe.rows(stripe), hits.toSeq)
      }
    } finally probe.close()
  }
}

private object KeyRows {

  /** @param id its number; null if the file cannot be read */
  private final case class RowGroup(id: Any, rows: Any, hits: Seq[KeyHits])

  private def texts(result: LeafResult): (UTF8String, UTF8String) =
    (UTF8String.fromString(result.evidence.name), UTF8String.fromString(result.reason))

  private def numbers(of: BitSet): Iterator[Int] =
    Iterator.iterate(of.nextSetBit(0))(n => of.nextSetBit(n + 1)).takeWhile(_ >= 0)
}
