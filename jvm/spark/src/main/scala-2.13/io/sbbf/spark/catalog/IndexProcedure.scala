package io.sbbf.spark.catalog

import java.util

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.unsafe.types.UTF8String

import io.sbbf.spark.index.zones.ZoneOptions
import io.sbbf.spark.index.{IndexCommand, IndexOutcome, IndexRequest}

/** Changes the index of a table. */
private[catalog] final class IndexProcedure(session: SparkSession, override val name: String)
    extends UnboundProcedure
    with BoundProcedure {
  import IndexProcedure._

  override def bind(input: StructType): BoundProcedure = this
  override def isDeterministic: Boolean = false

  override def parameters: Array[ProcedureParameter] = name match {
    case Create => Array(Table, Columns, DryRun, Where, Kind, Items, Fpp, FromFilters)
    case Refresh => Array(Table, DryRun, Where)
    case Drop => Array(Table)
  }

  override def call(arguments: InternalRow): util.Iterator[Scan] = {
    if (arguments.isNullAt(0)) refuse("table is NULL")
    val table = arguments.getUTF8String(0).toString
    def flag(at: Int) = !arguments.isNullAt(at) && arguments.getBoolean(at)
    def text(at: Int) = Option(arguments.getUTF8String(at)).map(_.toString)
    def items = if (arguments.isNullAt(5)) None else Some(arguments.getInt(5))
    val scan = name match {
      case Create =>
        val zones = ZoneOptions.of(text(4), items, text(6), flag(7))
        run(IndexRequest.create(table, columns(arguments), text(3), flag(2), zones))
      case Refresh => run(IndexRequest.refresh(table, text(2), flag(1)))
      case Drop =>
        new LocalRows(IndexCommand.DropSchema, Seq(Row(IndexCommand.drop(session, table))))
    }
    util.List.of[Scan](scan).iterator
  }

  private def run(request: IndexRequest): LocalRows =
    new LocalRows(IndexOutcome.Schema, Seq(IndexCommand.run(session, request).row))

  private def columns(arguments: InternalRow): Seq[String] =
    if (arguments.isNullAt(1)) refuse("columns is NULL")
    else
      arguments.getArray(1).toSeq[UTF8String](StringType).map { text =>
        if (text == null) refuse("NULL among the columns") else text.toString
      }

  private def refuse(why: String): Nothing = throw new IllegalArgumentException(s"$name: $why")
}

private[catalog] object IndexProcedure {
  private final val Create = "create_index"
  private final val Refresh = "refresh_index"
  private final val Drop = "drop_index"

  val names: Seq[String] = Seq(Create, Refresh, Drop)

  private val Table = ProcedureParameter.in("table", StringType).build()
  private val Columns = ProcedureParameter.in("columns", ArrayType(StringType)).build()

  /** A condition on partition columns. */
  val Where: ProcedureParameter =
    ProcedureParameter.in("where", StringType).defaultValue("CAST(NULL AS STRING)").build()

  private val DryRun =
    ProcedureParameter.in("dry_run", BooleanType).defaultValue("false").build()

  private val Kind = ProcedureParameter.in("kind", StringType).defaultValue("'keys'").build()
  private val Items =
    ProcedureParameter.in("items", IntegerType).defaultValue("CAST(NULL AS INT)").build()
  private val Fpp =
    ProcedureParameter.in("fpp", StringType).defaultValue("CAST(NULL AS STRING)").build()
  private val FromFilters =
    ProcedureParameter.in("from_filters", BooleanType).defaultValue("false").build()
}
