package io.sbbf.spark.cli

import java.io.{IOException, PrintStream}
import java.util.LinkedHashMap

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import io.sbbf.parquet.input.FileStore
import io.sbbf.parquet.pass.BoundedPool
import io.sbbf.spark.append.AddFiltersJob
import io.sbbf.spark.command.Command
import io.sbbf.spark.inspect.{FilterListing, ListingOptions, OrcListing, ProbeRequest}
import io.sbbf.spark.location.{ParquetPath, TableLocation}
import io.sbbf.spark.session.Doctor
import io.sbbf.spark.util.{JsonRow, SbbfConf, TableFiles}

/**
 * Runs the commands of `spark-sbbf` that need a JVM with Spark's JARs:
 *
 *   - `list` prints the rows of `format("sbbf")`.
 *   - `keys` prints the rows of `format("sbbf")` with keys.
 *   - `doctor` describes the JVM.
 *   - any [[Command]] prints its rows and its progress: in bytes if it changes filters, else in
 *     tasks.
 *
 * Only `keys` and the commands run jobs, and start a session; `list` starts one to look up a
 * table's name or to select partitions, and may run a job in it. Main reads a [[Request]] from
 * standard input, and writes one JSON object a line. A failure is an object with the one field
 * `error`. Standard error is left to Spark's logs.
 */
object Main {

  /**
   * The files that are read before their rows are printed. The batch limits the rows in memory to
   * thousands, not millions.
   */
  private val Batch = 1024

  private val json = new ObjectMapper

  def main(arguments: Array[String]): Unit = {
    try run(arguments.mkString, Request.read(System.in), System.out)
    catch { case NonFatal(e) => System.out.println(json.writeValueAsString(failure(e))) }
    System.out.flush()
    System.exit(0) // threads of file systems may outlive their use
  }

  private def failure(e: Throwable): LinkedHashMap[String, Any] = {
    val fields = new LinkedHashMap[String, Any]
    fields.put("error", Option(e.getMessage).getOrElse(e.toString))
    fields
  }

  private[cli] def run(command: String, request: Request, out: PrintStream): Unit =
    SQLConf.withExistingConf(request.conf) {
      command match {
        case "list" => list(request, out)
        case "keys" => inSession(request)(KeyProbe.run(_, request.options, out))
        case "doctor" => out.println(json.writeValueAsString(doctor(request)))
        case other => run(Command.named(other), request, out)
      }
    }

  private def list(request: Request, out: PrintStream): Unit = {
    val options = ListingOptions.parse(request.options)
    def isPath =
      try TableLocation.isPath(options.path, request.hadoopConf)
      catch { case _: IOException => false } // the table may be in another store
    // a session takes seconds to start, and only names and partitions need one
    if (options.where.isEmpty && isPath) listPath(options.path, None, options, request, out)
    else
      inSession(request, Lookup) { session =>
        TableLocation.ofListing(options.path, session) match {
          case path: ParquetPath if options.where.isEmpty && !path.isOrc => Some(path)
          case _ =>
            listInSession(options, session, out)
            None
        }
      }.foreach(path => // after the session has stopped
        listPath(path.name, path.tableSchema, options, request, out))
  }

  private def listInSession(
      options: ListingOptions,
      session: SparkSession,
      out: PrintStream): Unit =
    FilterListing(session.sqlContext, options)
      .buildScan()
      .toLocalIterator
      .foreach(row => out.println(JsonRow(FilterListing.Schema, row)))

  /** @param schema the schema of the table, None for that of a file */
  private def listPath(
      path: String,
      schema: Option[StructType],
      options: ListingOptions,
      request: Request,
      out: PrintStream): Unit = {
    val files = new TableFiles(path, request.hadoopConf)
    def isOrc = files.data.exists(file => OrcListing.is(file.getPath))
    // only Spark reads the schema of ORC files
    if (options.value.isDefined && isOrc)
      inSession(request, Lookup)(listInSession(options, _, out))
    else listFiles(files, path, schema, options, request, out)
  }

  private def listFiles(
      files: TableFiles,
      path: String,
      schema: Option[StructType],
      options: ListingOptions,
      request: Request,
      out: PrintStream): Unit = {
    def schemaFile: FileStatus = files.ofSchema.getOrElse(
      throw new IllegalArgumentException(
        s"no Parquet file in $path, so the type of the column is unknown"))
    val probe = ProbeRequest.of(
      options,
      schema.getOrElse(TableSchema.of(schemaFile, request.conf, request.hadoopConf)),
      request.conf)
    val store = FileStore.hadoop(request.hadoopConf)
    val threads = SbbfConf.Threads.get(request.conf)
    files.data.grouped(Batch).foreach { batch =>
      BoundedPool
        .map(batch.toIndexedSeq, threads) { file =>
          FilterListing.rowsOf(file, store, probe, request.hadoopConf)
        }
        .foreach(_.foreach(row => out.println(JsonRow(FilterListing.Schema, row))))
    }
  }

  private def run(command: Command, request: Request, out: PrintStream): Unit = {
    val work = command.prepared(request.options) // refuses options before a session starts
    val progress = listener(out)
    inSession(request) { session =>
      if (!command.name.endsWith("_filters"))
        session.sparkContext.addSparkListener(new TaskProgress(progress))
      work(session, progress).foreach(row => out.println(JsonRow(command.schema, row)))
    }
  }

  /**
   * Runs `work` in a session of its own, on all cores of this machine unless the settings name
   * another master.
   */
  private def inSession[T](request: Request, overrides: Map[String, String] = Map.empty)(
      work: SparkSession => T): T = {
    val builder = SparkSession.builder().appName("spark-sbbf")
    (Defaults ++ request.settings ++ overrides).foreach { case (key, value) =>
      builder.config(key, value)
    }
    if (hasMetastore && !request.settings.contains(CatalogImplementation))
      builder.config(CatalogImplementation, "hive")
    val session = builder.getOrCreate()
    val context = session.sparkContext
    // this JVM has the JAR on its class path, which Spark does not pass to executors
    if (!context.isLocal)
      context.addJar(getClass.getProtectionDomain.getCodeSource.getLocation.toString)
    try work(session)
    finally session.stop()
  }

  private def listener(out: PrintStream): AddFiltersJob.ProgressListener =
    new AddFiltersJob.ProgressListener {
      override def onProgress(done: Long, all: Long): Unit =
        out.println(s"""{"done":$done,"all":$all}""")
      override def isCancelled: Boolean = false
    }

  private final val CatalogImplementation = "spark.sql.catalogImplementation"

  /** Whether the class path has the address of a Hive metastore, and the classes to reach it. */
  private def hasMetastore: Boolean =
    Seq("/hive-site.xml", "/org/apache/hadoop/hive/conf/HiveConf.class")
      .forall(getClass.getResource(_) != null)

  /** Settings of a session that only looks up a table's name. */
  private val Lookup = Map("spark.master" -> "local[1]")

  private val Defaults = Map("spark.master" -> "local[*]", "spark.ui.enabled" -> "false")

  private def doctor(request: Request): LinkedHashMap[String, Any] = {
    val findings = new LinkedHashMap[String, Any]
    findings.put("vector module", hasVectorModule)
    Doctor.ofJvm(request.conf).foreach { case (name, value) => findings.put(name, value) }
    findings
  }

  private def hasVectorModule: Boolean =
    ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent
}
