package io.sbbf.spark.inspect

import org.apache.commons.codec.DecoderException
import org.apache.commons.codec.binary.Hex
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.sources.{BaseRelation, TableScan}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SQLContext}
import org.apache.spark.util.SerializableConfiguration

import io.sbbf.core.RowGroupPredicate.{In, Leaf}
import io.sbbf.spark.SbbfConf
import io.sbbf.spark.plan.CatalystValue

/** The relation behind `format("sbbf")`; one row for each file, row group and listed column. */
private[inspect] final case class FilterListing(sqlContext: SQLContext, options: ListingOptions)
    extends BaseRelation
    with TableScan {
  import FilterListing._

  private def conf = sqlContext.sparkSession.sessionState.conf

  override def schema: StructType = Schema

  /** Read on the executors, some files to a task; what is wrong with a file is a row that says so. */
  override def buildScan(): RDD[Row] = {
    val session = sqlContext.sparkSession
    val table = parquetTable()
    val leaf = for (column <- options.column; value <- options.value) yield {
      val (path, dataType) = resolve(table, column)
      Leaf(path, In(Seq(literal(value, column, dataType))))
    }
    val files = table.location.listFiles(Nil, Nil).flatMap(_.files.map(_.fileStatus))
    val hadoopConf = session.sparkContext.broadcast(
      new SerializableConfiguration(session.sessionState.newHadoopConfWithOptions(Map.empty)))
    val question = Question(
      options.column.map(splitPath),
      leaf,
      this.conf.caseSensitiveAnalysis,
      SbbfConf.TailBytes.get(this.conf).toInt)
    val slices = math.max(1, math.min(files.size, session.sparkContext.defaultParallelism * 4))
    session.sparkContext
      .parallelize(files.map(f => (f.getPath.toString, f.getLen)), slices)
      .flatMap { case (path, length) =>
        new FileListing(path, length, question, hadoopConf.value.value).rows()
      }
  }

  /**
   * Spark's own resolution of the path: globs, partition directories, hidden files, and its errors. The schema,
   * which cannot be read of encrypted files without keys, is asked for only where a value needs its type.
   */
  private def parquetTable(): HadoopFsRelation = {
    val reader = sqlContext.sparkSession.read
    (if (options.value.isEmpty) reader.schema(new StructType) else reader)
      .parquet(options.path)
      .queryExecution
      .analyzed
      .collectFirst { case relation: LogicalRelation =>
        relation.relation.asInstanceOf[HadoopFsRelation]
      }
      .get
  }

  private def resolve(table: HadoopFsRelation, column: String): (Seq[String], DataType) = {
    val resolver = conf.resolver
    val found =
      splitPath(column).foldLeft[Option[(Seq[String], DataType)]](Some((Nil, table.dataSchema))) {
        case (Some((path, struct: StructType)), name) =>
          struct.fields.find(f => resolver(f.name, name)).map(f => (path :+ f.name, f.dataType))
        case _ => None
      }
    found.getOrElse(throw new IllegalArgumentException(
      s"${options.path} has no column '$column'; its columns are ${table.dataSchema.fieldNames.mkString(", ")}"))
  }

  private def literal(text: String, column: String, dataType: DataType): io.sbbf.core.Value = {
    val value = dataType match {
      case BinaryType if options.isHex => unhex(text)
      case _ =>
        Cast(Literal(text), dataType, Some(conf.sessionLocalTimeZone), EvalMode.TRY).eval()
    }
    Option(value)
      .flatMap(CatalystValue.convert(_, dataType))
      .getOrElse(throw new IllegalArgumentException(
        s"the option value is no ${dataType.sql} that column '$column' could be asked for"))
  }
}

private[inspect] object FilterListing {

  val Schema: StructType = new StructType()
    .add("file", StringType, nullable = false)
    .add("row_group", IntegerType)
    .add("column", StringType)
    .add("rows", LongType)
    .add("physical_type", StringType)
    .add("nulls", LongType)
    .add("filter_offset", LongType)
    .add("filter_bytes", IntegerType)
    .add("fill", DoubleType)
    .add("fpp", DoubleType)
    .add("distinct_estimate", LongType)
    .add("evidence", StringType)
    .add("verdict", StringType)
    .add("reason", StringType)

  /** Names of a dotted path; a name that holds dots stands in backticks. */
  def splitPath(column: String): Seq[String] = UnresolvedAttribute.parseAttributeName(column)

  private def unhex(text: String): Array[Byte] =
    try Hex.decodeHex(text)
    catch {
      case _: DecoderException =>
        throw new IllegalArgumentException("the option valueHex is not hexadecimal")
    }
}
