package io.sbbf.spark.plan

import java.util.IdentityHashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Expression, PredicateHelper}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

import io.sbbf.core.RowGroupPredicate.Leaf
import io.sbbf.core.Verdict
import io.sbbf.parquet.{BoundLeaf, FileBytes, FileEvidence, FooterReader, LiteralEncodings}

/** A filter's condition as the pruner understands it under the settings of its session. */
final class PrunerQuestion(condition: Expression, relation: HadoopFsRelation)
    extends PredicateHelper {
  private val columns = new ScanColumns(relation)
  private[plan] val lookup = columns.lookup
  private[plan] val encodings = new LiteralEncodings
  private[plan] val predicate = columns.translator
    .translate(splitConjunctivePredicates(condition))
}

/** The verdicts about one file's row groups, those that decide as well as those that only prove. */
final class RowGroupVerdicts(path: Path) extends AutoCloseable {
  private val fs = path.getFileSystem(new Configuration(false))
  private val bytes = new FileBytes(fs, path, fs.getFileStatus(path).getLen, 64 * 1024)
  private val evidence = new FileEvidence(FooterReader.read(bytes))

  /** The number of rows of each row group. */
  val rows: IndexedSeq[Int] =
    (0 until evidence.footer.numRowGroups).map(evidence.footer.numRows(_).toInt)

  /** For each row group what the footer says, and what all evidence says. */
  def of(asked: PrunerQuestion): IndexedSeq[(Verdict, Verdict)] = {
    val leaves = new IdentityHashMap[Leaf, BoundLeaf]
    asked.predicate.leaves.foreach(leaf =>
      leaves.put(leaf, evidence.bind(leaf, asked.lookup, asked.encodings)))
    rows.indices.map { g =>
      (
        asked.predicate.evaluate(leaf => leaves.get(leaf).fromFooter(g).verdict),
        asked.predicate.evaluate(leaf => leaves.get(leaf).fromData(g, () => bytes).verdict))
    }
  }

  override def close(): Unit = bytes.close()
}
