package io.sbbf.spark.util

import java.sql.Timestamp
import java.util.LinkedHashMap

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

private[spark] object JsonRow {
  private val mapper = new ObjectMapper

  /** Returns a JSON object with the columns of the schema, in their order. */
  def apply(schema: StructType, row: Row): String = {
    val named = new LinkedHashMap[String, Any]
    schema.fieldNames.zip(row.toSeq).foreach { case (name, value) =>
      named.put(name, plain(value))
    }
    mapper.writeValueAsString(named)
  }

  private def plain(value: Any): Any = value match {
    case map: Map[_, _] => map.asJava
    case time: Timestamp => time.toInstant.toString
    case other => other
  }
}
