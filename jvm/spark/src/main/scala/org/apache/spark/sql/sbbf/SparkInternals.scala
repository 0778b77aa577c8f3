package org.apache.spark.sql.sbbf

import java.lang.reflect.{Field, Method}
import java.util.{Map => JMap, UUID}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkConf
import org.apache.spark.deploy.SparkHadoopUtil
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.adaptive.AdaptiveRulesHolder
import org.apache.spark.sql.execution.datasources.{DataSourceStrategy, FileFormat}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.{ColumnarRule, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.internal.{SQLConf, SessionState}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

/** What of Spark is open to its own packages only; reached in one way in every version from 3.5 to 4.3. */
object SparkInternals {

  /**
   * Makes `spark.conf.set` refuse a bad value of `key` from now on, with `parse`'s own message. A bad one that is
   * there already stays, also in sessions that take it over.
   *
   * @param parse throws IllegalArgumentException for a bad value
   */
  def registerConf[T](key: String, doc: String, default: String, parse: String => T): Unit =
    SQLConf.synchronized { // sessions of Spark Connect may each have our classes
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
   * Whether Spark makes the settings of a session from those of another or of the application, which it does
   * through the same checks as `spark.conf.set`: only the caller tells them apart.
   */
  private def isTakenOver: Boolean =
    Thread.currentThread.getStackTrace.exists { frame =>
      frame.getClassName.startsWith(classOf[SQLConf].getName) &&
      TakingOver.exists(frame.getMethodName.contains)
    }

  private val TakingOver = Seq("clone", "mergeSparkConf", "mergeNonStaticSQLConfigs")

  /** `filters` with their columns named as `output` names them, as Spark hands them to a file index. */
  def normalize(filters: Seq[Expression], output: Seq[Attribute]): Seq[Expression] =
    DataSourceStrategy.normalizeExprs(filters, output)

  /** The partition filters that Spark derives from `normalized` ones. */
  def partitionFilters(columns: Seq[Attribute], normalized: Seq[Expression]): Seq[Expression] =
    DataSourceStrategy.getPushedDownFilters(columns, normalized).toSeq

  /**
   * `normalized` data filters as the planner hands them to a scan: since Spark 4.3 a struct column that is compared
   * comes with comparisons of its fields. Throws what reflection throws where that method takes something else.
   */
  def expanded(normalized: Seq[Expression], conf: SQLConf): Seq[Expression] =
    expansion.fold(normalized)(
      _.invoke(DataSourceStrategy, normalized, conf).asInstanceOf[Seq[Expression]])

  /** Whether the planner does that, and with what is made of columns only to be compared. */
  def expandsStructs: Boolean = expansion.isDefined

  private lazy val expansion: Option[Method] = DataSourceStrategy.getClass.getMethods
    .find(_.getName == "expandStructPredicatesForPushdown")

  /** What a file source is handed of `normalized` data filters. */
  def pushedFilters(normalized: Seq[Expression]): Seq[Filter] =
    normalized.flatMap(
      DataSourceStrategy.translateFilter(_, supportNestedPredicatePushdown = true))

  /** Hadoop's settings as a driver with these settings of Spark has them, `spark.hadoop.*` among them. */
  def hadoopConf(settings: Map[String, String]): Configuration =
    SparkHadoopUtil.get.newConfiguration(new SparkConf(false).setAll(settings))

  /** With all fields nullable, as those of a table that is files are. */
  def nullable(schema: StructType): StructType = schema.asNullable

  /** Whether a column is a VARIANT or holds one, which Spark has since 4.0. */
  def hasVariant(schema: StructType): Boolean =
    schema.existsRecursively(_.typeName == "variant")

  def readsByFieldId(conf: SQLConf): Boolean = conf.getConf(SQLConf.PARQUET_FIELD_ID_READ_ENABLED)

  /**
   * `table` with other statistics. Through the constructor that is there, for it takes more arguments with
   * nearly every version of Spark.
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
   * Makes `metrics` some of those that the driver sends when `scan` runs; none twice. They are drawn as well if
   * nothing has asked for the scan's metrics yet. Spark has no place for a source's own ones, so they go into the
   * field of the scan's lazy value. Throws what reflection throws where there is no such field; 3.5 to 4.3 have it.
   */
  def addDriverMetrics(scan: FileSourceScanExec, metrics: Map[String, SQLMetric]): Unit = {
    val known = scan.driverMetrics
    if (!metrics.keySet.subsetOf(known.keySet))
      field(classOf[FileSourceScanExec], "driverMetrics").set(scan, known ++ metrics)
  }

  /**
   * Changes the rules for physical plans of a session that runs already, and of no other: Spark takes them from
   * extensions when it makes a session, and has no later way in. Throws as [[addDriverMetrics]] does.
   */
  def changePhysicalRules(
      session: SparkSession,
      columnar: Seq[ColumnarRule] => Seq[ColumnarRule],
      adaptive: Seq[Rule[SparkPlan]] => Seq[Rule[SparkPlan]]): Unit = {
    val state = session.sessionState
    val holder = state.adaptiveRulesHolder
    // both before either is changed
    val ofColumns = field(classOf[SessionState], "columnarRules")
    val ofStages = field(classOf[AdaptiveRulesHolder], "queryStagePrepRules")
    ofColumns.set(state, columnar(state.columnarRules))
    ofStages.set(holder, adaptive(holder.queryStagePrepRules))
  }

  /**
   * Changes the format by which a stream that runs writes its files, if it has the sink that writes files. Spark has
   * no way in: the sink is no part of the plans that rules see. Throws as [[addDriverMetrics]] does.
   *
   * @param change of the sink's folder, format and options the format that it is to have
   */
  def changeSinkFormat(session: SparkSession, stream: UUID)(
      change: (String, FileFormat, Map[String, String]) => FileFormat): Unit = {
    // whose classes have other packages since Spark 4.1
    val running = session.sharedState.activeStreamingQueries.asInstanceOf[JMap[UUID, AnyRef]]
    for {
      execution <- Option(running.get(stream)) // none of a stream that has ended
      sink = execution.getClass.getMethod("sink").invoke(execution)
      if sink.getClass.getSimpleName == "FileStreamSink"
    } {
      def value[T](name: String): T = field(sink.getClass, name).get(sink).asInstanceOf[T]
      val format = field(sink.getClass, "fileFormat")
      format.set(
        sink,
        change(value("path"), format.get(sink).asInstanceOf[FileFormat], value("options")))
    }
  }

  private def field(of: Class[_], name: String): Field = {
    val found = of.getDeclaredField(name)
    found.setAccessible(true)
    found
  }
}
