package org.apache.spark.sql.sbbf

import java.lang.reflect.{Field, Method}
import java.util.concurrent.TimeoutException
import java.util.{Map => JMap, UUID}

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.spark.deploy.SparkHadoopUtil
import org.apache.spark.rdd.{DeterministicLevel, InputFileBlockHolder}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.execution.adaptive.{AdaptiveRulesHolder, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.datasources.{
  DataSourceStrategy,
  FileFormat,
  FileIndex,
  HadoopFsRelation,
  InMemoryFileIndex
}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd
import org.apache.spark.sql.execution.{
  ColumnarRule,
  FileSourceScanExec,
  QueryExecution,
  SparkPlan
}
import org.apache.spark.sql.internal.{SQLConf, SessionState}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.{SparkConf, SparkContext, TaskContext}

/**
 * Gives access to Spark members that only Spark's own packages can use. The same code works with
 * every version from 3.5 to 4.3.
 */
object SparkInternals {

  /**
   * Registers `key`: `spark.conf.set` then rejects an invalid value with the message of `parse`.
   * An invalid value that is already set remains, also in sessions that copy it.
   *
   * @param parse the parser, which throws IllegalArgumentException for an invalid value
   */
  def registerConf[T](key: String, doc: String, default: String, parse: String => T): Unit =
    SQLConf.synchronized { // each Spark Connect session may load its own copy of this class
      if (!SQLConf.containsConfigKey(key))
        SQLConf
          .buildConf(key)
          .doc(doc)
          .version("0.1.0")
          .stringConf
          .transform { text =>
            try parse(text)
            catch { case _: IllegalArgumentException if isTakenOver => () }
            text
          }
          .createWithDefault(default)
    }

  /**
   * Returns whether Spark copies the settings of a session from another one or the application.
   * Spark applies the same checks as for `spark.conf.set`: only the caller differs.
   */
  private def isTakenOver: Boolean =
    Thread.currentThread.getStackTrace.exists { frame =>
      frame.getClassName.startsWith(classOf[SQLConf].getName) &&
      TakingOver.exists(frame.getMethodName.contains)
    }

  private val TakingOver = Seq("clone", "mergeSparkConf", "mergeNonStaticSQLConfigs")

  /**
   * Returns `filters` with their columns named as in `output`. Spark passes filters to a file
   * index in this form.
   */
  def normalize(filters: Seq[Expression], output: Seq[Attribute]): Seq[Expression] =
    DataSourceStrategy.normalizeExprs(filters, output)

  /** Returns the partition filters that Spark derives from `normalized` ones. */
  def partitionFilters(columns: Seq[Attribute], normalized: Seq[Expression]): Seq[Expression] =
    DataSourceStrategy.getPushedDownFilters(columns, normalized).toSeq

  /**
   * Returns `normalized` data filters as the planner passes them to a scan. Since Spark 4.3 the
   * planner adds comparisons of the fields to a comparison of a struct column. Throws an
   * exception of reflection if the planner's method takes other arguments.
   */
  def expanded(normalized: Seq[Expression], conf: SQLConf): Seq[Expression] =
    expansion.fold(normalized)(
      _.invoke(DataSourceStrategy, normalized, conf).asInstanceOf[Seq[Expression]])

  /**
   * Returns whether the planner adds comparisons of fields. It adds them also for structs that a
   * query builds from columns only to compare them.
   */
  def expandsStructs: Boolean = expansion.isDefined

  private lazy val expansion: Option[Method] = DataSourceStrategy.getClass.getMethods
    .find(_.getName == "expandStructPredicatesForPushdown")

  /** Returns the filters that Spark passes to a file source for `normalized` data filters. */
  def pushedFilters(normalized: Seq[Expression]): Seq[Filter] =
    normalized.flatMap(
      DataSourceStrategy.translateFilter(_, supportNestedPredicatePushdown = true))

  /**
   * Returns the Hadoop configuration of a driver with these Spark settings, including
   * `spark.hadoop.*`.
   */
  def hadoopConf(settings: Map[String, String]): Configuration =
    SparkHadoopUtil.get.newConfiguration(new SparkConf(false).setAll(settings))

  /** Returns a schema with all fields nullable, as in a table that consists of files. */
  def nullable(schema: StructType): StructType = schema.asNullable

  /** Returns whether a column is or contains a VARIANT, a type that Spark has since 4.0. */
  def hasVariant(schema: StructType): Boolean =
    schema.existsRecursively(_.typeName == "variant")

  /**
   * Returns a copy of a plan's node with one argument replaced. Versions of Spark give a node
   * different arguments.
   */
  def withArgument[T <: TreeNode[_]](node: T, argument: AnyRef, by: AnyRef): T =
    node
      .makeCopy(node.productIterator.map {
        case same: AnyRef if same eq argument => by
        case other => other.asInstanceOf[AnyRef]
      }.toArray)
      .asInstanceOf[T]

  /** Returns a relation that reads other files, with another format or with more options. */
  def withFiles(
      files: HadoopFsRelation,
      location: FileIndex,
      format: FileFormat,
      options: Map[String, String] = Map.empty): HadoopFsRelation =
    files.copy(location = location, fileFormat = format, options = files.options ++ options)(
      files.sparkSession)

  def readsByFieldId(conf: SQLConf): Boolean = conf.getConf(SQLConf.PARQUET_FIELD_ID_READ_ENABLED)

  /**
   * Returns `table` with other statistics. Calls the constructor by reflection, because nearly
   * every version of Spark adds arguments to it.
   */
  def withStats(table: CatalogTable, stats: CatalogStatistics): CatalogTable = {
    val fields = table.productIterator.map {
      case field: AnyRef if field eq table.stats => Some(stats)
      case field => field.asInstanceOf[AnyRef]
    }
    val constructor = classOf[CatalogTable].getConstructors.maxBy(_.getParameterCount)
    constructor.newInstance(fields.toSeq: _*).asInstanceOf[CatalogTable]
  }

  /**
   * Adds `metrics` to those that the driver sends when `scan` runs, each once. The UI shows them
   * if nothing has read the scan's metrics yet. Spark has no place for a source's own metrics, so
   * this method sets the field of the scan's lazy value. Throws an exception of reflection if
   * that field is missing; Spark 3.5 to 4.3 have it.
   */
  def addDriverMetrics(scan: FileSourceScanExec, metrics: Map[String, SQLMetric]): Unit = {
    val known = scan.driverMetrics
    if (!metrics.keySet.subsetOf(known.keySet))
      field(classOf[FileSourceScanExec], "driverMetrics").set(scan, known ++ metrics)
  }

  /**
   * Returns the keys of a broadcast hash table, as Spark stores them: possibly packed into a long,
   * and once for each row. The iterator may return the same row again with other values. Returns
   * None for another kind of broadcast. Calls Spark's trait by reflection, because Scala hides it
   * outside of `execution`.
   */
  def hashTableKeys(broadcast: Any): Option[Iterator[InternalRow]] =
    if (!HashedRelation.isInstance(broadcast)) None
    else {
      // lookups in the shared table change its state
      val copy = HashedRelation.getMethod("asReadOnlyCopy").invoke(broadcast)
      Some(HashedRelation.getMethod("keys").invoke(copy).asInstanceOf[Iterator[InternalRow]])
    }

  private lazy val HashedRelation: Class[_] =
    classOf[SparkPlan].getClassLoader
      .loadClass("org.apache.spark.sql.execution.joins.HashedRelation")

  /**
   * Returns whether a shuffle has the same rows when Spark runs it again, because some were lost. Spark
   * then runs again what has read others, but not what knows of their keys.
   */
  def isDeterminate(stage: ShuffleQueryStageExec): Boolean = stage.shuffle match {
    case exchange: ShuffleExchangeExec =>
      exchange.shuffleDependency.rdd.outputDeterministicLevel != DeterministicLevel.INDETERMINATE
    case _ => false
  }

  /**
   * Runs `body` with a task for the partitions of an RDD that this thread reads. What the readers
   * hold is released when it ends. The thread itself runs no task: its settings and the locks of
   * blocks stay those of the driver. The task has no memory, so aggregates and sorts fail in it.
   */
  def withTask[T](body: TaskContext => T): T = {
    val task = TaskContext.empty()
    InputFileBlockHolder.initialize() // a thread shares the holder of the one that started it
    try body(task)
    finally {
      task.markTaskCompleted(None)
      InputFileBlockHolder.unset()
    }
  }

  /**
   * Returns the objects from which an index lists its files. As long as it has the same objects, it
   * lists the same files for the same filters. Returns None for an index that may list others.
   */
  def listingState(index: FileIndex): Option[Seq[AnyRef]] = index match {
    case files: InMemoryFileIndex if files.getClass == classOf[InMemoryFileIndex] =>
      // in the order in which a refresh replaces them
      leafMembers.map(_.map(_.invoke(files)) :+ files.partitionSpec())
    case _ => None
  }

  // Scala hides these members outside of subclasses
  private lazy val leafMembers: Option[Seq[Method]] =
    Try(
      Seq("leafFiles", "leafDirToChildrenFiles")
        .map(classOf[InMemoryFileIndex].getMethod(_))).toOption

  /** Returns whether a scan is meant to run in one task, which Spark 4.3 decides by its size. */
  def runsInOneTask(scan: FileSourceScanExec): Boolean =
    scan.getClass.getMethods
      .find(_.getName == "markedForSingleTaskExecution")
      .exists(_.invoke(scan) == true)

  /**
   * Changes the rules for physical plans of one running session. Spark takes these rules from
   * extensions when it creates a session, and offers no API to change them later. Throws like
   * [[addDriverMetrics]].
   *
   * @param prepare changes the rules that prepare a plan for adaptive execution
   * @param optimize changes the rules for each stage of adaptive execution
   */
  def changePhysicalRules(
      session: SparkSession,
      columnar: Seq[ColumnarRule] => Seq[ColumnarRule],
      prepare: Seq[Rule[SparkPlan]] => Seq[Rule[SparkPlan]],
      optimize: Seq[Rule[SparkPlan]] => Seq[Rule[SparkPlan]]): Unit = {
    val state = session.sessionState
    val holder = state.adaptiveRulesHolder
    // find all fields before changing any
    val ofColumns = field(classOf[SessionState], "columnarRules")
    val beforeStages = field(classOf[AdaptiveRulesHolder], "queryStagePrepRules")
    val ofStages = field(classOf[AdaptiveRulesHolder], "queryStageOptimizerRules")
    ofColumns.set(state, columnar(state.columnarRules))
    beforeStages.set(holder, prepare(holder.queryStagePrepRules))
    ofStages.set(holder, optimize(holder.queryStageOptimizerRules))
  }

  /**
   * Changes the format with which a running stream writes its files, if its sink is the file
   * sink. Spark offers no API for this: the plans that rules receive do not contain the sink.
   * Throws like [[addDriverMetrics]].
   *
   * @param change the function from the sink's folder, format and options to its new format
   */
  def changeSinkFormat(session: SparkSession, stream: UUID)(
      change: (String, FileFormat, Map[String, String]) => FileFormat): Unit = {
    for {
      execution <- running(session, stream)
      sink = sinkOf(execution)
      if sink.getClass.getSimpleName == "FileStreamSink"
    } {
      def value[T](name: String): T = field(sink.getClass, name).get(sink).asInstanceOf[T]
      val format = field(sink.getClass, "fileFormat")
      format.set(
        sink,
        change(value("path"), format.get(sink).asInstanceOf[FileFormat], value("options")))
    }
  }

  /** Returns what a running stream writes to and the options of its writer, if Spark has them there. */
  def writerOf(session: SparkSession, stream: UUID): Option[(AnyRef, Map[String, String])] =
    for {
      execution <- running(session, stream)
      options <- Try(field(execution.getClass, "extraOptions").get(execution)).toOption
    } yield (sinkOf(execution), options.asInstanceOf[Map[String, String]])

  /** Returns the execution of a stream, None if it has ended. */
  private def running(session: SparkSession, stream: UUID): Option[AnyRef] =
    // its class has another package since Spark 4.1
    Option(
      session.sharedState.activeStreamingQueries.asInstanceOf[JMap[UUID, AnyRef]].get(stream))

  private def sinkOf(execution: AnyRef): AnyRef =
    execution.getClass.getMethod("sink").invoke(execution)

  /** Returns the query that has ended, None in an event that was read from a log. */
  def queryOf(end: SparkListenerSQLExecutionEnd): Option[QueryExecution] = Option(end.qe)

  /** Waits until Spark's listeners know of all that has happened, at most for ten seconds. */
  def awaitListeners(context: SparkContext): Unit =
    try context.listenerBus.waitUntilEmpty(10000)
    catch { case _: TimeoutException => } // other queries may keep them busy

  private def field(of: Class[_], name: String): Field = {
    val found = of.getDeclaredField(name)
    found.setAccessible(true)
    found
  }
}
