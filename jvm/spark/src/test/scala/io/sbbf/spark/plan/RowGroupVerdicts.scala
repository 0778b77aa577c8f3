package io.sbbf.spark.plan

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Expression, PredicateHelper}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.core.Verdict
import io.sbbf.parquet.{BoundLeaf, FileBytes, FileEvidence, FooterReader, LiteralEncodings}

/** The verdicts of one file's row groups, those that decide as well as those that only prove. */
final class RowGroupVerdicts(path: Path, partitionColumns: Set[String])
    extends PredicateHelper
    with AutoCloseable {
  private val fs = path.getFileSystem(new Configuration(false))
  private val bytes = new FileBytes(fs, path, fs.getFileStatus(path).getLen, 64 * 1024)
  private val evidence = new FileEvidence(FooterReader.read(bytes))

  /** The number of rows of each row group. */
  val rows: IndexedSeq[Int] =
    (0 until evidence.footer.numRowGroups).map(evidence.footer.numRows(_).toInt)

  /** What the footer says of each row group under a filter's condition, and what all evidence says. */
  def of(condition: Expression): IndexedSeq[(Verdict, Verdict)] = {
    val conf = SQLConf.get
    val predicate = new PredicateTranslator(
      partitionColumns,
      conf.caseSensitiveAnalysis,
      SparkInternals.readsByFieldId(conf)).translate(splitConjunctivePredicates(condition))
    val encodings = new LiteralEncodings
    val leaves = predicate.leaves
      .map(leaf => leaf -> evidence.bind(leaf, conf.caseSensitiveAnalysis, encodings))
      .toMap[Any, BoundLeaf]
    rows.indices.map { g =>
      (
        predicate.evaluate(leaf => leaves(leaf).fromFooter(g).verdict),
        predicate.evaluate(leaf => leaves(leaf).fromData(g, () => bytes).verdict))
    }
  }

  override def close(): Unit = bytes.close()
}
