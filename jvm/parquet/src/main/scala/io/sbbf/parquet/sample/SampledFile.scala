package io.sbbf.parquet
package sample

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.format.FileMetaData

import io.sbbf.core.{ColumnPath, FilterShape}
import io.sbbf.parquet.chunk.{ChunkLayout, ChunkValues}
import io.sbbf.parquet.footer.{FileSchema, FooterBuilder}
import io.sbbf.parquet.write.{FilterRequest, ValueHasher}

/**
 * What the columns of a file are like: from its footer, and from the values of some row groups.
 * Columns go by their dotted Parquet paths. Each method throws [[UnusableFile]] for a file that
 * tells nothing, and java.io.IOException where it cannot be read.
 */
private[sbbf] final class SampledFile(file: FileStatus, conf: Configuration) {
  private val stored = new StoredFile(file, conf)

  private lazy val columns: IndexedSeq[ColumnDescriptor] = stored
    .reading(_.getFileMetaData.getSchema.getColumns)
    .toArray(Array.empty[ColumnDescriptor])
    .toIndexedSeq

  private lazy val metadata: FileMetaData = {
    val metadata = stored.metadata()
    ChunkLayout.check(metadata, columns.map(_.getPath.toSeq))
    metadata
  }

  private lazy val footer: FileFooter = {
    val bytes = stored.open()
    try new FooterBuilder(metadata, FooterReader.locate(bytes).start).build()
    finally bytes.close()
  }

  /** What the footer tells of all columns. */
  def facts(): FileFacts = {
    val rows = (0 until footer.numRowGroups).map(footer.numRows(_))
    FileFacts(rows, columns.zipWithIndex.map { case (column, n) => facts(column, n) })
  }

  private def facts(descriptor: ColumnDescriptor, column: Int): ColumnFacts = {
    val primitive = descriptor.getPrimitiveType
    val chunks = rowGroups.map(footer.chunk(_, column))
    ColumnFacts(
      footer.columnName(column),
      Option(primitive.getLogicalTypeAnnotation)
        .fold(primitive.getPrimitiveTypeName.name)(_.toString),
      FilterRequest.kind(primitive),
      rowGroups.map(bytes(_, column)).sum,
      chunks.count(footer.filterOffset(_) > 0),
      chunks.filter(footer.filterOffset(_) > 0).map(footer.filterLength(_).toLong).sum,
      chunks.count(footer.dictionaryOffset(_) > 0),
      chunks.filter(footer.dictionaryOffset(_) > 0).map(footer.dictionaryRoom(_).toLong).sum
    )
  }

  private def bytes(rowGroup: Int, column: Int): Long =
    metadata.getRow_groups
      .get(rowGroup)
      .getColumns
      .get(column)
      .getMeta_data
      .getTotal_compressed_size

  /** The columns that queries find at some paths, for those that the file has. */
  def resolve(paths: Seq[ColumnPath], caseSensitive: Boolean): Map[ColumnPath, String] =
    paths
      .map(path => path -> footer.schema.resolve(path, caseSensitive))
      .collect { case (path, FileSchema.Found(column)) =>
        path -> footer.columnName(column)
      }
      .toMap

  /** Of the columns that can have filters, those with these names. */
  def sample(rowGroup: Int, names: Set[String]): Seq[ChunkSample] = {
    val bytes = stored.open()
    try
      stored.reading { reader =>
        val values = new ChunkValues(reader)
        for {
          (column, number) <- columns.zipWithIndex
          if names(footer.columnName(number))
          kind <- FilterRequest.kind(column.getPrimitiveType)
        } yield sample(rowGroup, number, kind, values, bytes)
      }
    finally bytes.close()
  }

  private def sample(
      rowGroup: Int,
      column: Int,
      kind: FilterRequest.Kind,
      values: ChunkValues,
      bytes: FileBytes): ChunkSample = {
    val sketch = new DistinctSketch
    val hasher = ValueHasher.of(kind, sketch)
    val probes = new Probes(hasher)
    val isAllDictionary = footer.dictionaryOffset(footer.chunk(rowGroup, column)) > 0
    values.addTo(probes, rowGroup, column, isAllDictionary)
    hasher.flush()
    val filter = new FileEvidence(footer).filter(rowGroup, column, bytes) match {
      case FilterState.Present(_, _, bitset) =>
        Some(ExistingFilter(bitset.length, FilterShape.effectiveFpp(bitset)))
      case _ => None
    }
    ChunkSample(footer.columnName(column), sketch.result(), probes.result, filter)
  }

  /**
   * How often min/max keep a row group of this file that is asked for values of a column, over all
   * row groups and values.
   *
   * @param probes values of each column, in PLAIN encoding
   */
  def keptByBounds(probes: Map[String, Seq[Array[Byte]]]): Map[String, Long] =
    (for {
      column <- 0 until footer.numColumns
      plain <- probes.get(footer.columnName(column))
    } yield footer.columnName(column) -> rowGroups.map(kept(plain, _, column).toLong).sum).toMap

  private def kept(plain: Seq[Array[Byte]], rowGroup: Int, column: Int): Int =
    if (footer.nullCount(rowGroup, column) == footer.numValues(rowGroup, column)) 0
    else
      Probes.within(
        plain,
        footer.schema.column(column).columnType,
        footer.bounds,
        footer.chunk(rowGroup, column))

  /** Those with rows. */
  private def rowGroups: Seq[Int] = (0 until footer.numRowGroups).filter(footer.numRows(_) > 0)
}

/** @param rows of each row group */
private[sbbf] final case class FileFacts(rows: Seq[Long], columns: Seq[ColumnFacts])

/**
 * What the footer tells of one column, summed over the row groups with rows.
 *
 * @param column its dotted Parquet path
 * @param kind None where the type can have no filters
 * @param bytes of its chunks, compressed
 * @param filters chunks that have one
 * @param dictionaries chunks all of whose values are in their dictionary
 * @param dictionaryBytes of these dictionaries, compressed
 */
private[sbbf] final case class ColumnFacts(
    column: String,
    dataType: String,
    kind: Option[FilterRequest.Kind],
    bytes: Long,
    filters: Int,
    filterBytes: Long,
    dictionaries: Int,
    dictionaryBytes: Long)

/**
 * What the values of one chunk are like.
 *
 * @param probes some of its values, in PLAIN encoding
 * @param filter that it has and that can be believed
 */
private[sbbf] final case class ChunkSample(
    column: String,
    values: Sketch,
    probes: Seq[Array[Byte]],
    filter: Option[ExistingFilter])

/** @param fpp by the bits that are set */
private[sbbf] final case class ExistingFilter(bytes: Int, fpp: Double)
