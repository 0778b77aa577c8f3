package io.sbbf.spark.iceberg

import java.util.function.Supplier
import java.util.{Arrays, Collections, List => JList, Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sbbf.parquet.input.FileStore
import io.sbbf.spark.column.TableColumns
import io.sbbf.spark.iceberg.Members.call

/**
 * A batch scan of an Iceberg table.
 *
 * Source: `SparkBatchQueryScan` and its superclasses, of Iceberg 1.10 to 1.12. They plan all tasks
 * first, drop some by `resetTasks` as filters become known at run time, and only then combine them.
 *
 * Throws an exception of reflection if the scan has another shape than in the known versions.
 */
private[iceberg] final class IcebergScan(scan: Scan) {

  private val table = call[AnyRef](scan, "table")

  def location: String = call[String](table, "location")

  /** Returns the session of the scan, None if the scan does not show it. */
  def session: Option[SparkSession] = Members.field(scan, "spark")

  /** Returns what identifies the table: old tables of format version 1 may lack an id. */
  private lazy val identity: String = Try(call[Any](table, "uuid").toString).getOrElse(location)

  def isCaseSensitive: Boolean = call[Boolean](scan, "caseSensitive")

  /** Returns the files whose rows the scan reads. */
  def files: IndexedSeq[FileStatus] = tasks.map(_.listedFile)

  /** Returns the columns that the files may store, found by their ids. */
  def storedColumns: TableColumns = {
    val names = columns
      .filter(c => c.isInFiles && !c.ids.exists(identityIds))
      .map(c => c.name -> c)
      .toMap
    val stored = scan.readSchema.filter(f => names.contains(f.name))
    new TableColumns(StructType(stored), StructType(stored.map(f => names(f.name).withId(f))))
  }

  /** The tasks, of which Iceberg's own filters have removed some. */
  lazy val tasks: IndexedSeq[IcebergTask] =
    call[JList[AnyRef]](scan, "tasks").asScala.map(new IcebergTask(_, identity)).toIndexedSeq

  /** The files of the tasks that can be evidence. */
  lazy val evidence: IndexedSeq[FileStatus] = tasks.flatMap(_.dataFile)

  /** The columns that the scan reads. */
  lazy val columns: Seq[IcebergField] = {
    // named so since 1.11
    val name = if (Members.has(scan, "projection")) "projection" else "expectedSchema"
    IcebergField.listOf(call[AnyRef](call[AnyRef](scan, name), "columns"))
  }

  /** The ids of columns that Iceberg reads from its metadata, in files of some partition spec. */
  lazy val identityIds: Set[Int] = {
    val specs = call[JMap[_, AnyRef]](table, "specs").values.asScala
    val fields = specs.flatMap(call[JList[AnyRef]](_, "fields").asScala)
    fields
      .filter(f => call[Boolean](call[AnyRef](f, "transform"), "isIdentity"))
      .map(call[Int](_, "sourceId"))
      .toSet
  }

  /** Returns the store of the files. The scan may have its own, with credentials from the catalog. */
  def store: FileStore =
    new IcebergStore(ownIo.getOrElse(call[AnyRef](table, "io")))

  /** Returns a store that tasks can receive, and have to close. */
  def taskStore: FileStore with Serializable =
    new IcebergStore(ownIo.getOrElse(call[AnyRef](IcebergScan.serializable(table), "io")))

  private def ownIo: Option[AnyRef] =
    Members.field[Supplier[AnyRef]](scan, "fileIO").map(_.get())

  /**
   * Returns a scan of some of the tasks, which does not equal this one or a copy of another generation:
   * Spark drops a replacement of a plan's node that equals it. Iceberg compares the filters that it
   * has evaluated at run time, and filters that are always true change nothing else.
   *
   * @param generation at least 1, greater than that of the copy that this one replaces
   */
  def withTasks(some: Seq[IcebergTask], generation: Int): Scan = {
    // otherwise the copy would find them by its own tasks
    call[AnyRef](scan, "specs")
    val copy = Members.copy(scan)
    val kept = Arrays.asList(some.map(_.task): _*)
    call[Unit](copy, "resetTasks", Seq(classOf[JList[_]] -> kept))
    val alwaysTrue = IcebergScan.alwaysTrue(scan.getClass.getClassLoader)
    runtimeFilters(copy).addAll(Collections.nCopies(generation, alwaysTrue))
    require(copy != scan)
    copy
  }

  /** Named so since 1.11. */
  private def runtimeFilters(of: Scan): JList[AnyRef] =
    Seq("runtimeFilters", "runtimeFilterExpressions")
      .flatMap(Members.field[JList[AnyRef]](of, _))
      .headOption
      .getOrElse(throw new NoSuchFieldException(s"${of.getClass.getName}.runtimeFilters"))
}

private[iceberg] object IcebergScan {
  private final val Package = "org.apache.iceberg.spark.source"

  /**
   * The scans whose rows are those of the files. Others return changes of rows, or decide which
   * files a command rewrites. The second one exists since 1.11.
   */
  private val Known = Set(s"$Package.SparkBatchQueryScan", s"$Package.SparkIncrementalAppendScan")

  /** Returns whether pruning knows scans of this class. */
  def isKnown(scan: Scan): Boolean = Known.contains(scan.getClass.getName)

  /**
   * Returns a scan of all files of a table that Spark has loaded for a read. Returns None for
   * another source's table, and for tables of Iceberg whose rows are not those of data files, such
   * as metadata tables and changelogs.
   */
  def ofTable(table: Table, options: CaseInsensitiveStringMap): Option[IcebergScan] =
    table match {
      case readable: SupportsRead if table.getClass.getName.startsWith(s"$Package.") =>
        Some(readable.newScanBuilder(options).build())
          .filter(isKnown)
          .map(new IcebergScan(_))
          .filterNot(scan => isMetadata(scan.table.getClass))
      case _ => None
    }

  private def isMetadata(table: Class[_]): Boolean =
    Iterator
      .iterate[Class[_]](table)(_.getSuperclass)
      .takeWhile(_ != null)
      .exists(_.getName == "org.apache.iceberg.BaseMetadataTable")

  /** Returns a copy of a table for tasks, as Iceberg's own reads send it. */
  private def serializable(table: AnyRef): AnyRef = {
    val iceberg = table.getClass.getClassLoader
    iceberg
      .loadClass("org.apache.iceberg.SerializableTable")
      .getMethod("copyOf", iceberg.loadClass("org.apache.iceberg.Table"))
      .invoke(null, table)
  }

  private def alwaysTrue(iceberg: ClassLoader): AnyRef =
    iceberg
      .loadClass("org.apache.iceberg.expressions.Expressions")
      .getMethod("alwaysTrue")
      .invoke(null)
}
