package io.sbbf.spark.iceberg

import io.sbbf.spark.iceberg.Members.call

/**
 * A task of an Iceberg scan: a file, and the files with the rows that are deleted from it.
 *
 * Source: `FileScanTask`, `DataFile` of Iceberg 1.10 to 1.12.
 *
 * @param task an `org.apache.iceberg.ScanTask`
 * @param table what identifies the table
 */
private[iceberg] final class IcebergTask(val task: AnyRef, table: String) {

  /**
   * The file, if the task reads all of it and its bytes are evidence: an unencrypted Parquet file of
   * rows. The tasks of metadata tables have others.
   */
  val dataFile: Option[IcebergFile] =
    if (!call[Boolean](task, "isFileScanTask") || call[Boolean](task, "isDataTask")) None
    else {
      val file = call[AnyRef](task, "file")
      val length = call[Long](file, "fileSizeInBytes")
      val isEvidence = call[AnyRef](file, "format").toString == "PARQUET" &&
        call[AnyRef](file, "content").toString == "DATA" &&
        call[AnyRef](file, "keyMetadata") == null &&
        call[Long](task, "start") == 0 && call[Long](task, "length") == length
      if (isEvidence) IcebergFile.of(locationOf(file), length, table, sequenceOf(file)) else None
    }

  /** The file whose rows the task reads, whether its bytes are evidence or not. */
  def listedFile: IcebergFile = {
    val file = call[AnyRef](task, "file")
    val length = call[Long](file, "fileSizeInBytes")
    IcebergFile.listed(locationOf(file), length, table, sequenceOf(file))
  }

  private def sequenceOf(file: AnyRef): Any = call[Any](file, "fileSequenceNumber")

  private def locationOf(file: AnyRef): String = call[String](file, "location")
}
