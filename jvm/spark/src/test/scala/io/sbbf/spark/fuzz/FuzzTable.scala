package io.sbbf.spark.fuzz

import java.io.File
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths, StandardCopyOption}

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.types.{MetadataBuilder, StructType}

import io.sbbf.spark.predicate.{PrunerQuestion, RowGroupVerdicts}

/** A file of a table, with its rows as Spark reads them without a filter, and its verdicts. */
final class FuzzFile(
    val writer: String,
    val rows: Array[InternalRow],
    val verdicts: RowGroupVerdicts) {
  private val starts = verdicts.rows.scanLeft(0)(_ + _)
  require(starts.last == rows.length, s"Spark read ${rows.length} of ${starts.last} rows")

  def rowsOf(rowGroup: Int): Array[InternalRow] =
    rows.slice(starts(rowGroup), starts(rowGroup + 1))
}

/** A table of the [[Corpus]], opened in its own session. */
final class FuzzTable(parent: SparkSession, val folder: Path) extends AutoCloseable {
  val session: SparkSession = FuzzTable.unpruned(parent)
  private val conf = FuzzTable.properties(folder.resolve("session.conf"))
  conf.foreach { case (key, value) => session.conf.set(key, value) }
  // Spark 4.0's vectorized reader does not support all encodings
  session.conf.set("spark.sql.parquet.enableVectorizedReader", "false")
  FuzzTable.list(folder.resolve("spark"), ".options").foreach(writeBySpark)
  lines("create.sql").foreach(session.sql(_))

  val name: String = folder.getFileName.toString
  val predicates: IndexedSeq[String] = lines("predicates.sql")
  private val relation =
    session.table(name).queryExecution.analyzed.collectFirst { case r: LogicalRelation => r }.get
  private val files = relation.relation.asInstanceOf[HadoopFsRelation]

  /** The files; their rows have the files' columns in the relation's output order. */
  val openFiles: Seq[FuzzFile] = {
    val writers = lines("writers.txt")
    val schema = FuzzTable.withoutChars(files.dataSchema)
    files.inputFiles.sorted.toSeq.map { file =>
      val path = new HadoopPath(new java.net.URI(file))
      val rows = session.read.schema(schema).parquet(file).queryExecution.toRdd
      new FuzzFile(
        writers(path.getName.takeWhile(_ != '-').toInt),
        collected(rows),
        new RowGroupVerdicts(path))
    }
  }

  /** Outside of a query, tasks know the settings of no session; Spark's reader needs one of them. */
  private def collected(rows: RDD[InternalRow]): Array[InternalRow] = {
    val key = "spark.sql.caseSensitive"
    session.sparkContext.setLocalProperty(key, session.conf.get(key))
    try rows.map(_.copy()).collect()
    finally session.sparkContext.setLocalProperty(key, null)
  }

  def describe: String =
    s"${lines("create.sql").mkString("; ")}\n  ${conf.map(e => s"${e._1}=${e._2}").mkString(", ")}"

  def question(condition: Expression): PrunerQuestion =
    new PrunerQuestion(condition, files)

  def parse(sql: String): LogicalPlan = session.sessionState.sqlParser.parsePlan(sql)

  private def lines(file: String): IndexedSeq[String] =
    new String(Files.readAllBytes(folder.resolve(file)), UTF_8).split('\n').toIndexedSeq

  /** Writes a staged file of the generator again, with the given options. */
  private def writeBySpark(options: Path): Unit = {
    val (settings, rest) =
      FuzzTable.properties(options).partition(_._1.startsWith("spark."))
    val (targets, writing) = rest.partition(_._1 == "target")
    val session = FuzzTable.unpruned(parent)
    session.conf.set("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED")
    settings.foreach { case (key, value) => session.conf.set(key, value) }
    val staged = options.toString.replace(".options", ".parquet")
    val written = options.toString.replace(".options", ".written")
    session.read.parquet(staged).coalesce(1).write.options(writing.toMap).parquet(written)
    val part = FuzzTable.list(Paths.get(written), ".parquet").head
    Files.move(part, Paths.get(targets.head._2), StandardCopyOption.REPLACE_EXISTING)
  }

  override def close(): Unit = {
    openFiles.foreach(_.verdicts.close())
    session.sql(s"drop table $name")
    FuzzTable.delete(folder.toFile)
  }
}

object FuzzTable {

  /** Returns a session that prunes nothing, pushes no filters, and reads whole structs. */
  private def unpruned(parent: SparkSession): SparkSession = {
    val session = parent.newSession()
    session.conf.set("spark.sbbf.enabled", "false")
    session.conf.set("spark.sql.parquet.filterPushdown", "false")
    session.conf.set("spark.sql.optimizer.nestedSchemaPruning.enabled", "false")
    session
  }

  private def list(folder: Path, ending: String): Seq[Path] =
    folder.toFile.listFiles.toSeq.map(_.toPath).filter(_.toString.endsWith(ending)).sorted

  private def properties(file: Path): Seq[(String, String)] =
    new String(Files.readAllBytes(file), UTF_8).split('\n').toSeq.map { line =>
      val Array(key, value) = line.split("=", 2)
      key -> value
    }

  /** Removes the metadata for CHAR(n): queries pad such columns above the relation. */
  private def withoutChars(schema: StructType): StructType = StructType(schema.map { field =>
    val builder = new MetadataBuilder().withMetadata(field.metadata)
    field.copy(metadata = builder.remove("__CHAR_VARCHAR_TYPE_STRING").build())
  })

  private def delete(file: File): Unit = {
    Option(file.listFiles).foreach(_.foreach(delete))
    file.delete()
  }
}
