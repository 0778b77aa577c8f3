package io.sbbf.spark.catalog

import scala.jdk.CollectionConverters._

import org.apache.commons.codec.binary.Hex
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, StringType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The table functions `sbbf_filters('path')` and `sbbf_probe('path', 'column', value)`, which
 * return the rows of `format("sbbf")`. Their arguments are constants. `value` has any type that
 * casts to the column's type.
 */
private[spark] object FilterFunctions {
  type Description = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)

  val all: Seq[Description] = Seq(
    function("sbbf_filters", Seq("path"), "lists the bloom filters of the files under a path"),
    function(
      "sbbf_probe",
      Seq("path", "column", "value"),
      "shows which row groups of the files under a path might hold a value in a column")
  )

  private def function(name: String, parameters: Seq[String], usage: String): Description = {
    val info = new ExpressionInfo(
      getClass.getName,
      null,
      name,
      s"$name(${parameters.mkString(", ")}) - $usage",
      "",
      "",
      "",
      "",
      "",
      "",
      "")
    (FunctionIdentifier(name), info, listing(name, parameters))
  }

  private def listing(name: String, parameters: Seq[String])(
      arguments: Seq[Expression]): LogicalPlan = {
    require(
      arguments.size == parameters.size,
      s"$name takes ${parameters.mkString(", ")}, not ${arguments.size} arguments")
    val options = parameters.zip(arguments).map { case (parameter, argument) =>
      require(argument.foldable, s"$name: $parameter must be a constant")
      option(parameter, argument).getOrElse(
        throw new IllegalArgumentException(
          s"$name: $parameter is NULL, which filters do not hold: query IS NULL instead"))
    }
    val (path, others) = options.partition { case (parameter, _) => parameter == "path" }
    UnresolvedRelation(
      SbbfCatalog.filtersOf(path.head._2),
      new CaseInsensitiveStringMap(others.toMap.asJava))
  }

  /** Returns the data source's option for an argument, with its text; None for NULL. */
  private def option(parameter: String, argument: Expression): Option[(String, String)] =
    argument.dataType match {
      case BinaryType =>
        Option(argument.eval().asInstanceOf[Array[Byte]])
          .map(bytes => s"${parameter}Hex" -> Hex.encodeHexString(bytes))
      case _ =>
        val zone = Some(SQLConf.get.sessionLocalTimeZone)
        Option(Cast(argument, StringType, zone).eval()).map(text => parameter -> text.toString)
    }
}
