package io.sbbf.spark.predicate

import java.util.IdentityHashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Expression, PredicateHelper}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

import io.sbbf.core.predicate.RowGroupPredicate.Leaf
import io.sbbf.core.predicate.Verdict
import io.sbbf.parquet.eval.{FileEvidence, LeafEvaluator}
import io.sbbf.parquet.footer.FooterReader
import io.sbbf.parquet.input.FileBytes
import io.sbbf.parquet.literal.LiteralEncodings
import io.sbbf.spark.files.ScanColumns

/** A filter's condition as the pruner understands it under the settings of its session. */
final class PrunerQuestion(condition: Expression, relation: HadoopFsRelation)
    extends PredicateHelper {
  private val columns = new ScanColumns(relation)
  private[spark] val lookup = columns.lookup
  private[spark] val encodings = new LiteralEncodings
  private[spark] val predicate = columns.translate(splitConjunctivePredicates(condition))
}

/** The verdicts about one file's row groups, both those that decide and those that only prove. */
final class RowGroupVerdicts(path: Path) extends AutoCloseable {
  private val fs = path.getFileSystem(new Configuration(false))
  private val bytes = new FileBytes(fs, path, fs.getFileStatus(path).getLen)
  private val evidence = new FileEvidence(FooterReader.read(bytes))

  /** The number of rows of each row group. */
  val rows: IndexedSeq[Int] =
    (0 until evidence.footer.numRowGroups).map(evidence.footer.numRows(_).toInt)

  /** For each row group the verdict of its footer, and the verdict of all evidence. */
  def of(question: PrunerQuestion): IndexedSeq[(Verdict, Verdict)] = {
    val leaves = new IdentityHashMap[Leaf, LeafEvaluator]
    question.predicate.leaves.foreach(leaf =>
      leaves.put(leaf, evidence.bind(leaf, question.lookup, question.encodings)))
    rows.indices.map { g =>
      (
        question.predicate.evaluate(leaf => leaves.get(leaf).evalStatistics(g).verdict),
        question.predicate.evaluate(leaf =>
          leaves.get(leaf).evalContents(g, () => bytes).verdict))
    }
  }

  override def close(): Unit = bytes.close()
}
