package io.sbbf.index.search

import java.util.{Arrays, HashMap}

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

import io.sbbf.index.format.{FileEntry, FileTable, IndexPlace, StoredTable}
import io.sbbf.parquet.hashes.StoredSchema
import io.sbbf.parquet.model.FileVersion

/**
 * The files of a segment in memory. Files have numbers in the order of the table. Thread-safe.
 *
 * @param numbers the number of each file, by its name
 * @param firsts the number of each file's first row group, ascending
 * @param groupOf the number of each file's group
 * @param schemaGroups the files by what they have in common
 */
private[index] final class SegmentFiles private (
    place: IndexPlace,
    numbers: HashMap[String, Integer],
    versions: Array[SegmentFiles.Version],
    firsts: Array[Int],
    groupOf: Array[Int],
    val schemaGroups: IndexedSeq[SegmentFiles.SchemaGroup]) {

  def size: Int = versions.length
  def rowGroupsOf(file: Int): Int = versions(file).rowGroups
  def firstRowGroup(file: Int): Int = firsts(file)
  def schemaGroup(file: Int): Int = groupOf(file)

  /** Returns whether the segment has the keys of an indexed column in a file, or it has none. */
  def hasKeys(file: Int, column: Int): Boolean =
    schemaGroups(groupOf(file)).columns(column).whyNot.isEmpty

  /** Returns the file that holds a row group, -1 if there is none. */
  def fileOf(rowGroup: Int): Int = {
    val found = Arrays.binarySearch(firsts, rowGroup)
    // files without row groups share the number of the next one
    var file = if (found >= 0) found else -found - 2
    while (file + 1 < size && firsts(file + 1) <= rowGroup) file += 1
    if (file >= 0 && rowGroup - firsts(file) < rowGroupsOf(file)) file else -1
  }

  /** Returns the number of a listed file; -1 if the segment does not know this version of it. */
  def numberOf(file: FileStatus): Int = {
    val found = numbers.get(place.nameOf(file.getPath))
    if (found != null && versions(found).isOf(FileVersion.of(file))) found else -1
  }
}

private[index] object SegmentFiles {

  /**
   * Files of one schema, whose columns are indexed or not for the same reasons.
   *
   * @param columns the segment's columns, in their order
   */
  final class SchemaGroup(val schema: StoredSchema, val columns: Seq[FileEntry.Coverage]) {

    /**
     * Returns the indexed column with this leaf whose keys the segment has, -1 if there is none.
     *
     * @param choice the numbers of the columns to choose from
     */
    def columnOf(leaf: Int, choice: Seq[Int]): Int =
      choice
        .find(c => columns(c).leaf == leaf && columns(c).whyNot.isEmpty)
        .getOrElse(-1)
  }

  private final class Version(
      length: Long,
      modificationTime: Long,
      etag: Option[String],
      readAt: Long,
      val rowGroups: Int) {

    /**
     * A file that was read soon after its modification may have changed again since. A time of 0
     * says nothing.
     */
    def isOf(listed: FileVersion): Boolean = length == listed.length && {
      if (etag.isDefined && listed.etag.isDefined) etag == listed.etag
      else
        modificationTime > 0 && modificationTime == listed.modificationTime &&
        readAt >= modificationTime + FileVersion.SettlingMillis
    }
  }

  /**
   * Reads the files of a segment.
   *
   * @param folder the folder of the segment
   * @throws java.io.IOException if the table of files cannot be read
   */
  def read(
      stored: StoredTable,
      folder: Path,
      place: IndexPlace,
      conf: Configuration): SegmentFiles = {
    val numbers = new HashMap[String, Integer](stored.rows * 2)
    val versions = new ArrayBuffer[Version](stored.rows)
    val (firsts, groupOf) = (Array.newBuilder[Int], Array.newBuilder[Int])
    val schemas = mutable.HashMap.empty[Seq[Byte], StoredSchema]
    val numberOf = mutable.HashMap.empty[(Seq[Byte], Seq[FileEntry.Coverage]), Int]
    val groups = new ArrayBuffer[SchemaGroup]
    var latest: FileEntry = null
    var group = -1
    FileTable.read(stored, folder, conf) { entry =>
      numbers.put(entry.path, versions.size)
      versions += new Version(
        entry.length,
        entry.modificationTime,
        entry.etag,
        entry.readAt,
        entry.rowGroups)
      firsts += entry.firstRowGroup
      val isSameGroup = latest != null && latest.columns == entry.columns &&
        Arrays.equals(latest.schema, entry.schema)
      if (!isSameGroup)
        group = numberOf.getOrElseUpdate(
          (entry.schema.toSeq, entry.columns), {
            val schema =
              schemas.getOrElseUpdate(entry.schema.toSeq, StoredSchema.of(entry.schema))
            groups += new SchemaGroup(schema, entry.columns)
            groups.size - 1
          }
        )
      groupOf += group
      latest = entry
    }
    new SegmentFiles(
      place,
      numbers,
      versions.toArray,
      firsts.result(),
      groupOf.result(),
      groups.toVector)
  }
}
