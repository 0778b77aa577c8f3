package io.sbbf.spark.table

import io.sbbf.core.bloom.FilterSizing

/** A format of tables that keep a list of their files. */
private[spark] sealed abstract class LakeFormat(val name: String) {

  /** A table of the format, with its article. */
  def aTable: String

  /** Returns the commands that give the files of a table filters, or drop them. */
  def howToChange: String

  /**
   * Returns the table properties that give a column filters of a size and an FPP. parquet-mr sizes
   * them ([[FilterSizing.closedFormBytes]]).
   *
   * @param column the name of the column in the table
   * @param stored its dotted Parquet path
   * @param ndv the most distinct values of a row group
   */
  def properties(column: String, stored: String, ndv: Long, fpp: Double): Map[String, String]

  /** Returns a property for the largest size of a filter, if the writer's own limit is below. */
  protected def limit(key: String, ndv: Long, fpp: Double): Map[String, String] = {
    val bytes = FilterSizing.closedFormBytes(ndv, fpp)
    if (bytes > LakeFormat.WritersLimit) Map(key -> bytes.toString) else Map.empty
  }
}

private[spark] object LakeFormat {

  /** `ParquetProperties.DEFAULT_MAX_BLOOM_FILTER_BYTES`, which Iceberg has as well */
  private final val WritersLimit = 1024 * 1024

  case object Delta extends LakeFormat("Delta") {
    override def aTable: String = "a Delta table"

    override def howToChange: String =
      "ALTER TABLE ... SET TBLPROPERTIES (...) with the properties that advise lists, or with " +
        "'parquet.bloom.filter.enabled#<column>' = 'false' for no filters, and rewrite the files " +
        "by INSERT OVERWRITE, or by OPTIMIZE as far as it merges files"

    override def properties(
        column: String,
        stored: String,
        ndv: Long,
        fpp: Double): Map[String, String] =
      Map(
        s"parquet.bloom.filter.enabled#$stored" -> "true",
        s"parquet.bloom.filter.expected.ndv#$stored" -> ndv.toString,
        s"parquet.bloom.filter.fpp#$stored" -> fpp.toString
      ) ++ limit("parquet.bloom.filter.max.bytes", ndv, fpp)
  }

  case object Iceberg extends LakeFormat("Iceberg") {
    override def aTable: String = "an Iceberg table"

    override def howToChange: String =
      "ALTER TABLE ... SET TBLPROPERTIES (...) with the properties that advise lists, or with " +
        "'write.parquet.bloom-filter-enabled.column.<column>' = 'false' for no filters, and " +
        "rewrite the files by CALL <catalog>.system.rewrite_data_files(table => " +
        "..., options => map('rewrite-all', 'true'))"

    /** Iceberg ignores the NDV before version 1.11, and makes filters of the largest size. */
    override def properties(
        column: String,
        stored: String,
        ndv: Long,
        fpp: Double): Map[String, String] =
      Map(
        s"write.parquet.bloom-filter-enabled.column.$column" -> "true",
        s"write.parquet.bloom-filter-ndv.column.$column" -> ndv.toString,
        s"write.parquet.bloom-filter-fpp.column.$column" -> fpp.toString
      ) ++ limit("write.parquet.bloom-filter-max-bytes", ndv, fpp)
  }

  /** Returns the format of this name, None for a format that writes no filters. */
  def named(name: String): Option[LakeFormat] = Seq(Delta, Iceberg).find(_.name == name)
}
