package io.sbbf.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{ArrayType, StructType}

import io.sbbf.spark.command.Command
import io.sbbf.spark.util.CommandOption

/** Runs a command with the arguments of a `CALL`. */
private[catalog] final class CommandProcedure(session: SparkSession, command: Command)
    extends UnboundProcedure
    with BoundProcedure {

  override def name: String = command.name
  override def bind(input: StructType): BoundProcedure = this
  override def isDeterministic: Boolean = false

  override def parameters: Array[ProcedureParameter] = command.options.map { option =>
    val parameter = ProcedureParameter.in(option.name, option.sqlType)
    option.sqlDefault.fold(parameter)(parameter.defaultValue(_)).build()
  }.toArray

  override def call(arguments: InternalRow): util.Iterator[Scan] = {
    val texts = command.options.zipWithIndex.flatMap { case (option, n) =>
      val value =
        CatalystTypeConverters.convertToScala(arguments.get(n, option.sqlType), option.sqlType)
      text(option, value).map(option.name -> _)
    }
    val rows = command.run(session, texts.toMap)
    util.List.of[Scan](new LocalRows(command.schema, rows)).iterator
  }

  /** Returns the text of an option, None for one that is not given. */
  private def text(option: CommandOption[_], value: Any): Option[String] = value match {
    case null if option.sqlDefault.isEmpty => refuse(s"${option.name} is NULL")
    case null if option.sqlType.isInstanceOf[ArrayType] =>
      refuse(s"${option.name} is NULL; leave it out for its default")
    case null => None
    case names: scala.collection.Seq[_] => Some(json(names, names.asJava))
    case settings: scala.collection.Map[_, _] =>
      Some(json(settings.keys ++ settings.values, settings.asJava))
    case other => Some(other.toString)
  }

  private def json(parts: Iterable[_], of: Object): String =
    if (parts.exists(_ == null)) refuse("NULL among the arguments")
    else new ObjectMapper().writeValueAsString(of)

  private def refuse(why: String): Nothing =
    throw new IllegalArgumentException(s"$name: $why")
}
