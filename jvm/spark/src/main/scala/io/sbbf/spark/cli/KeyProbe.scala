package io.sbbf.spark.cli

import java.io.PrintStream

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.functions.{col, hex, unhex}
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.sbbf.spark.inspect.{KeyListing, ListingOptions}
import io.sbbf.spark.util.JsonRow

/** Prints which row groups might hold which of the keys that the command line lists. */
private[cli] object KeyProbe {
  private val Key = "key"

  /**
   * Prints the rows of `format("sbbf")` with keys; these are printed as text.
   *
   * @param options those of `format("sbbf")`, where `keys` is a JSON array of texts, and `is_hex`
   *   states whether they are bytes in hexadecimal
   */
  def run(session: SparkSession, options: Map[String, String], out: PrintStream): Unit = {
    import session.implicits._
    val texts = new ObjectMapper().readTree(options("keys")).elements.asScala.map(_.asText).toSeq
    val keys = session.createDataset(texts).toDF(Key)
    // plans and event logs show the option
    val listing = ListingOptions.parse(options - "is_hex" + ("keys" -> "of the command line"))
    val isHex = options.get("is_hex").contains("true")
    val found = session.baseRelationToDataFrame(
      new KeyListing(
        session.sqlContext,
        listing,
        if (isHex) keys.select(unhex(col(Key)).as(Key)) else keys))
    val shown = asText(found)
    shown.toLocalIterator().forEachRemaining(row => out.println(JsonRow(shown.schema, row)))
  }

  private def asText(found: DataFrame): DataFrame = found.withColumn(
    Key,
    if (found.schema(Key).dataType == BinaryType) hex(col(Key)) else col(Key).cast("string"))
}
