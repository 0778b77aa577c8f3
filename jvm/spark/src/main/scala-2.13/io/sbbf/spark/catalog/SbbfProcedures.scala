package io.sbbf.spark.catalog

import java.util

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.connector.catalog.{Identifier, ProcedureCatalog}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.spark.append.{AddFiltersJob, AddFiltersOutcome, AddFiltersRequest}
import io.sbbf.spark.write.FilterOptions

/**
 * Procedures that change files return a row for each file ([[AddFiltersOutcome.Schema]]):
 *
 *   - `CALL sbbf.system.add_filters(table => ..., columns => array(...), fpp => 0.01, ...)`
 *   - `CALL sbbf.system.drop_filters(table => ..., columns => array(...))`
 *
 * Procedures that change an index return one row:
 *
 *   - `CALL sbbf.system.create_index(table => ..., columns => array(...))`
 *   - `CALL sbbf.system.refresh_index(table => ...)`
 *   - `CALL sbbf.system.drop_index(table => ...)`
 */
private[catalog] trait SbbfProcedures extends ProcedureCatalog {
  import SbbfProcedures._

  /** The session that the catalog belongs to. */
  protected def session: SparkSession

  override def loadProcedure(procedure: Identifier): UnboundProcedure =
    (procedure.namespace.toSeq, procedure.name) match {
      case (Seq(System), Add) => new Changing(session, Add, AddParameters, drops = false)
      case (Seq(System), Drop) => new Changing(session, Drop, DropParameters, drops = true)
      case (Seq(System), name) if IndexProcedure.names.contains(name) =>
        new IndexProcedure(session, name)
      case _ =>
        throw new IllegalArgumentException(
          s"$name has no procedure $procedure; its procedures are " +
            Names.map(n => s"$System.$n").mkString(", "))
    }

  /** Lists the procedures, for Spark 4.1 and newer. */
  def listProcedures(namespace: Array[String]): Array[Identifier] =
    if (namespace.isEmpty || namespace.toSeq == Seq(System))
      Names.map(Identifier.of(Array(System), _)).toArray
    else Array.empty
}

private object SbbfProcedures {
  private final val System = "system" // as in Iceberg's catalogs
  private final val Add = "add_filters"
  private final val Drop = "drop_filters"
  private val Names = Seq(Add, Drop) ++ IndexProcedure.names

  private val Table = ProcedureParameter.in("table", StringType).build()
  private val NoText = "CAST(NULL AS STRING)"
  private val Columns = ProcedureParameter
    .in("columns", ArrayType(StringType))
    .defaultValue("CAST(array() AS ARRAY<STRING>)")
    .build()
  private val Fpp = ProcedureParameter.in("fpp", StringType).defaultValue(NoText).build()
  private val Options = ProcedureParameter
    .in("options", MapType(StringType, StringType))
    .defaultValue("CAST(map() AS MAP<STRING, STRING>)")
    .build()
  private val FlagOf = Seq("allow_table_formats", "dry_run", "replace").map { name =>
    name -> ProcedureParameter.in(name, BooleanType).defaultValue("false").build()
  }.toMap

  private val DropParameters = Seq(
    Table,
    Columns,
    Options,
    FlagOf("allow_table_formats"),
    FlagOf("dry_run"),
    IndexProcedure.Where)
  private val AddParameters = DropParameters ++ Seq(Fpp, FlagOf("replace"))

  /** Changes the filters of files. */
  private final class Changing(
      session: SparkSession,
      override val name: String,
      taken: Seq[ProcedureParameter],
      drops: Boolean)
      extends UnboundProcedure
      with BoundProcedure {
    override def bind(input: StructType): BoundProcedure = this
    override def parameters: Array[ProcedureParameter] = taken.toArray
    override def isDeterministic: Boolean = false

    override def call(arguments: InternalRow): util.Iterator[Scan] = {
      def of[T](parameter: ProcedureParameter)(get: Int => T): Option[T] = {
        val n = taken.indexOf(parameter)
        if (n < 0 || arguments.isNullAt(n)) None else Some(get(n))
      }
      def flag(name: String): Boolean = of(FlagOf(name))(arguments.getBoolean).getOrElse(false)
      val columns = of(Columns)(arguments.getArray)
        .map(texts)
        .getOrElse(throw new IllegalArgumentException(
          s"$name: columns is NULL" + (if (drops) "; leave it out to name all columns" else "")))
      val fpp = of(Fpp)(arguments.getUTF8String).map(_.toString)
      if (fpp.isDefined && columns.isEmpty)
        throw new IllegalArgumentException(
          s"$name: fpp needs columns; name the columns that get filters")
      val own = columns.map(FilterOptions.enabling) ++
        fpp.toSeq.flatMap(value => columns.map(FilterOptions.fpp(_, value)))
      val others = of(Options)(arguments.getMap).toSeq
        .flatMap(map => texts(map.keyArray()).zip(texts(map.valueArray())))
      val request = AddFiltersRequest.of(
        of(Table)(arguments.getUTF8String)
          .getOrElse(throw new IllegalArgumentException(s"$name: table is NULL"))
          .toString,
        (own ++ others).toMap,
        drops,
        flag("replace"),
        flag("allow_table_formats"),
        flag("dry_run"),
        of(IndexProcedure.Where)(arguments.getUTF8String).map(_.toString)
      )
      val outcomes = new AddFiltersJob(session, request).run()
      util.List.of[Scan](new LocalRows(AddFiltersOutcome.Schema, outcomes.map(_.row))).iterator
    }

    private def texts(array: ArrayData): Seq[String] =
      array.toSeq[UTF8String](StringType).map { text =>
        if (text == null) throw new IllegalArgumentException(s"$name: NULL among the arguments")
        text.toString
      }
  }
}
