package io.sbbf.spark.append

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

import io.sbbf.spark.util.{CommandOption, CommandOptions}

/** Requests to change filters. */
private[spark] object FilterRequests {
  private val Own = (AddFiltersRequest.OptionsOfAdd.map(_.name) :+ "drop").toSet

  /**
   * Returns a request.
   *
   * @param options the options, `drop`, and the settings of filters
   */
  def of(options: Map[String, String]): AddFiltersRequest = {
    val (own, settings) = options.partition { case (name, _) => Own(name) }
    val texts =
      own - "drop" + ("options" -> new ObjectMapper().writeValueAsString(settings.asJava))
    val declared: Seq[CommandOption[_]] = AddFiltersRequest.OptionsOfAdd
    AddFiltersRequest.of(
      CommandOptions.of("test", declared, texts),
      own.get("drop").contains("true"))
  }
}
