package io.sbbf.spark.command

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.sbbf.spark.advise.{AdviceJob, AdviceRequest, ColumnAdvice}
import io.sbbf.spark.append.AddFiltersJob.{NoListener, ProgressListener}
import io.sbbf.spark.append.{AddFiltersJob, AddFiltersOutcome, AddFiltersRequest}
import io.sbbf.spark.index.{IndexCommand, IndexOutcome, IndexRequest}
import io.sbbf.spark.util.{CommandOption, CommandOptions}

/**
 * A command on a table, for Python, SQL and the command line alike.
 *
 * @param options in the order of its arguments in SQL
 * @param schema the columns of its rows
 * @param read reads the options, and returns what is to be done
 */
private[spark] final class Command private (
    val name: String,
    val options: Seq[CommandOption[_]],
    val schema: StructType)(
    read: CommandOptions => (SparkSession, ProgressListener) => Seq[Row]) {

  /**
   * Returns what is to be done. It needs no session to refuse options.
   *
   * @param texts the options by their names
   * @throws IllegalArgumentException naming the option that is unknown, missing or invalid
   */
  def prepared(texts: Map[String, String]): (SparkSession, ProgressListener) => Seq[Row] =
    read(CommandOptions.of(name, options, texts))

  /** Runs the command and returns its rows. */
  def run(
      session: SparkSession,
      texts: Map[String, String],
      listener: ProgressListener = NoListener): Seq[Row] = prepared(texts)(session, listener)
}

private[spark] object Command {
  val all: Seq[Command] = Seq(
    filters("add_filters", AddFiltersRequest.OptionsOfAdd, isDrop = false),
    filters("drop_filters", AddFiltersRequest.OptionsOfDrop, isDrop = true),
    index("create_index", IndexRequest.OptionsOfCreate)(IndexRequest.create),
    index("refresh_index", IndexRequest.OptionsOfRefresh)(IndexRequest.refresh),
    new Command("drop_index", Seq(CommandOption.Table), IndexCommand.DropSchema)({ options =>
      val table = options(CommandOption.Table)
      (session, _) => Seq(Row(IndexCommand.drop(session, table)))
    }),
    new Command("index_info", Seq(CommandOption.Table), IndexCommand.Info.schema)({ options =>
      val table = options(CommandOption.Table)
      (session, _) => IndexCommand.info(session, table)
    }),
    new Command("advise", AdviceRequest.Options, ColumnAdvice.Fields.schema)({ options =>
      val request = AdviceRequest.of(options)
      (session, _) => new AdviceJob(session, request).run().map(ColumnAdvice.Fields.row)
    })
  )

  /** @throws IllegalArgumentException if there is no such command */
  def named(name: String): Command = all
    .find(_.name == name)
    .getOrElse(throw new IllegalArgumentException(s"unknown command $name"))

  private def filters(name: String, options: Seq[CommandOption[_]], isDrop: Boolean): Command =
    new Command(name, options, AddFiltersOutcome.Fields.schema)({ given =>
      val request = AddFiltersRequest.of(given, isDrop)
      (session, listener) =>
        new AddFiltersJob(session, request, listener).run().map(AddFiltersOutcome.Fields.row)
    })

  private def index(name: String, options: Seq[CommandOption[_]])(
      requested: CommandOptions => IndexRequest): Command =
    new Command(name, options, IndexOutcome.Fields.schema)({ given =>
      val request = requested(given)
      (session, _) => Seq(IndexOutcome.Fields.row(IndexCommand.run(session, request)))
    })
}
