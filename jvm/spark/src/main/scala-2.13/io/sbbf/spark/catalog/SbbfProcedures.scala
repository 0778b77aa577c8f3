package io.sbbf.spark.catalog

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.connector.catalog.{Identifier, ProcedureCatalog}

import io.sbbf.spark.command.Command

/**
 * Has a procedure for each [[Command]], with an argument for each of its options:
 *
 *   - `CALL sbbf.system.add_filters(table => ..., columns => array(...), fpp => 0.01, ...)`
 *   - `CALL sbbf.system.refresh_index(table => ...)`
 */
private[catalog] trait SbbfProcedures extends ProcedureCatalog {
  import SbbfProcedures.System

  /** The session that the catalog belongs to. */
  protected def session: SparkSession

  override def loadProcedure(procedure: Identifier): UnboundProcedure =
    Command.all
      .find(c => procedure.namespace.toSeq == Seq(System) && c.name == procedure.name)
      .map(new CommandProcedure(session, _))
      .getOrElse(
        throw new IllegalArgumentException(
          s"$name has no procedure $procedure; its procedures are " +
            Command.all.map(command => s"$System.${command.name}").mkString(", ")))

  /** Lists the procedures, for Spark 4.1 and newer. */
  def listProcedures(namespace: Array[String]): Array[Identifier] =
    if (namespace.isEmpty || namespace.toSeq == Seq(System))
      Command.all.map(command => Identifier.of(Array(System), command.name)).toArray
    else Array.empty
}

private object SbbfProcedures {
  private final val System = "system" // as in Iceberg's catalogs
}
