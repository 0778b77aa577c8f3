package io.sbbf.spark.late

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  ExprId,
  Expression,
  FileSourceConstantMetadataAttribute,
  InputFileBlockLength,
  InputFileBlockStart,
  PlanExpression
}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.FileFormat.{FILE_BLOCK_LENGTH, FILE_BLOCK_START}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sbbf.SparkInternals

import io.sbbf.spark.pushdown.PushdownGuard
import io.sbbf.spark.scan.{
  LateKeys,
  PrunedFileIndex,
  PrunedParquetFormat,
  PrunedRelation,
  ScanColumns
}
import io.sbbf.spark.util.KernelChoice

/**
 * Replaces the files of the scans of one stage by those that might hold a key.
 *
 * @param stage the plan of the stage
 */
private[late] final class ScanNarrowing(stage: SparkPlan, conf: SQLConf) {

  private lazy val readsBlocks: Boolean = stage.exists(_.expressions.exists(_.exists {
    case InputFileBlockStart() | InputFileBlockLength() => true
    case _ => false
  }))

  /**
   * Returns the scan of what might hold a key, or the scan itself if the keys refute nothing. Stores
   * at the scan why keys did not prune it.
   */
  def narrowed(scan: FileSourceScanExec, candidates: Candidates): SparkPlan =
    // Spark 4.1 optimizes the last stage again while it runs
    if (!isSparkParquet(scan) || LateReasons.areKnown(scan)) scan
    else if (scan.partitionFilters.exists(isRuntimeFilter)) {
      // the files of all partitions would have to be read
      LateReasons.set(scan, Seq("the query chooses the scan's partitions while it runs"))
      scan
    } else {
      val (usable, others) = candidates.all.partition(canPrune(scan, _))
      usable.foreach(_.start())
      val resolved = usable.map(_.resolved)
      val keys = resolved.collect { case Right(found) => found }.map(independent(scan, _))
      val narrower = if (keys.isEmpty) None else narrowedIndex(scan, keys)
      val useless = if (narrower.isEmpty) keys.map(k => s"${k.description}: no benefit") else Nil
      val unresolved = resolved.collect { case Left(reason) => reason }
      LateReasons.set(
        scan,
        candidates.reasons ++ others.flatMap(whyNot(scan, _)) ++ unresolved ++ useless)
      narrower.fold[SparkPlan](scan)(index => copied(scan, relation(scan, index)))
    }

  /**
   * Returns the keys with the columns' names in the relation, and without what differs between
   * equal scans: ids and qualifiers of columns. Equal scans then have equal indexes, and Spark can
   * reuse exchanges.
   */
  private def independent(scan: FileSourceScanExec, keys: LateKeys): LateKeys = {
    val named = SparkInternals.normalize(Seq(keys.filter), scan.output).head
    keys.copy(filter = named.transform { case a: AttributeReference =>
      val place = scan.output.indexWhere(_.exprId == a.exprId)
      AttributeReference(a.name, a.dataType, a.nullable)(ExprId(place.toLong), Nil)
    })
  }

  /** Returns an index of what might hold the keys, if it holds enough less than was planned. */
  private def narrowedIndex(
      scan: FileSourceScanExec,
      keys: Seq[LateKeys]): Option[PrunedFileIndex] = {
    KernelChoice.start()
    val (index, planned) = scan.relation.location match {
      case known: PrunedFileIndex => (known.narrowedBy(keys), known.selection)
      case _ => (newIndex(scan).narrowedBy(keys), None)
    }
    index.listFiles(scan.partitionFilters, scan.dataFilters.filterNot(isRuntimeFilter))
    Some(index).filter(_.selection.exists { found =>
      planned match {
        case Some(before) => found.keptBytes < before.keptBytes
        // Spark's own format class is worth more than a few row groups
        case None => found.keptBytes <= found.filesBytes - found.filesBytes / 50
      }
    })
  }

  /** Returns whether the scan is a batch scan in Spark's Parquet format, or in ours. */
  private def isSparkParquet(scan: FileSourceScanExec): Boolean = {
    val format = scan.relation.fileFormat.getClass
    (format == classOf[ParquetFileFormat] || format == classOf[PrunedParquetFormat]) &&
    !scan.productIterator.exists { // since Spark 4.0 a scan knows its stream
      case Some(_: SparkDataStream) => true
      case _ => false
    } && !SparkInternals.runsInOneTask(scan)
  }

  private def canPrune(scan: FileSourceScanExec, candidate: Candidate): Boolean =
    candidate.example.exists(e =>
      new ScanColumns(scan.relation).predicate(Seq(e), scan.output).canPrune)

  /** Returns why a candidate cannot prune: its functions and columns. */
  private def whyNot(scan: FileSourceScanExec, candidate: Candidate): Seq[String] =
    new ScanColumns(scan.relation).unused(candidate.example.toSeq, scan.output)

  private def isRuntimeFilter(filter: Expression): Boolean =
    filter.exists(_.isInstanceOf[PlanExpression[_]])

  private def hasRuntimeFilters(scan: FileSourceScanExec): Boolean =
    scan.dataFilters.exists(isRuntimeFilter)

  /** Returns an index for a scan that was planned without pruning. */
  private def newIndex(scan: FileSourceScanExec): PrunedFileIndex = {
    val files = scan.relation
    val settings = files.sparkSession.sessionState.conf
    val guard = PushdownGuard(
      SparkInternals.pushedFilters(scan.dataFilters.filterNot(isRuntimeFilter)),
      files.dataSchema,
      new ScanColumns(files).areFoundById,
      settings.caseSensitiveAnalysis,
      mayPushMore = hasRuntimeFilters(scan)
    )
    new PrunedRelation(files, conf).index(guard, observesSplits(scan))
  }

  /** Returns whether the query may see how files are cut into splits. */
  private def observesSplits(scan: FileSourceScanExec): Boolean =
    readsBlocks || scan.output.exists {
      case FileSourceConstantMetadataAttribute(column) =>
        Seq(FILE_BLOCK_START, FILE_BLOCK_LENGTH).exists(column.name.endsWith)
      case _ => false
    }

  private def relation(scan: FileSourceScanExec, index: PrunedFileIndex): HadoopFsRelation = {
    val files = scan.relation
    files.fileFormat match {
      case format: PrunedParquetFormat =>
        files.copy(location = index, fileFormat = format.of(index))(files.sparkSession)
      case _ => new PrunedRelation(files, conf).of(index, hasRuntimeFilters(scan))
    }
  }

  /** Returns the scan with another relation. Versions of Spark give a scan different arguments. */
  private def copied(scan: FileSourceScanExec, relation: HadoopFsRelation): SparkPlan =
    scan.makeCopy(scan.productIterator.map {
      case same: AnyRef if same eq scan.relation => relation
      case other => other.asInstanceOf[AnyRef]
    }.toArray)
}
