package io.sbbf.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder, V1Scan}
import org.apache.spark.sql.sources.{BaseRelation, TableScan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sbbf.spark.inspect.{FilterListing, ListingOptions}

/** A table of the filters under a path, with the rows and options of `format("sbbf")` without keys. */
private[catalog] final class FilterTable(path: String) extends SupportsRead {
  override def name: String = s"filters of $path"
  override def schema: StructType = FilterListing.Schema
  override def capabilities: util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(readOptions: CaseInsensitiveStringMap): ScanBuilder = {
    val options = readOptions.asCaseSensitiveMap.asScala.toMap
    val listing = ListingOptions.parse(options + ("path" -> path))
    if (listing.keys.isDefined)
      throw new IllegalArgumentException(
        s"$name: probes of keys have other columns: use the data source sbbf, or " +
          "CREATE TEMPORARY VIEW ... USING sbbf OPTIONS (path, column, keys)")
    new ScanBuilder {
      override def build(): Scan = new V1Scan {
        override def readSchema: StructType = FilterListing.Schema
        override def toV1TableScan[T <: BaseRelation with TableScan](context: SQLContext): T =
          FilterListing(context, listing).asInstanceOf[T]
      }
    }
  }
}
