package io.sbbf.parquet.hashes

import java.io.ByteArrayOutputStream
import java.util.ArrayList

import org.apache.parquet.format.{FileMetaData, RowGroup, SchemaElement, Util}

import io.sbbf.core.predicate.RowGroupPredicate.{IsNull, Leaf}
import io.sbbf.parquet.footer.{FooterBuilder, FooterReader, SchemaReader}
import io.sbbf.parquet.literal.{BoundPredicate, LiteralEncodings}
import io.sbbf.parquet.model.{ColumnLookup, ColumnType, FileSchema, RebaseMetadata}

/**
 * The schema of a file, kept apart from the file. It binds leaves of a predicate as the footer of
 * the file does. Immutable and thread-safe.
 */
private[sbbf] final class StoredSchema private (schema: FileSchema) {

  /**
   * Returns what the rows of the file that match the leaf hold in its column, as values or as keys of
   * the leaf's function.
   */
  def bind(leaf: Leaf, lookup: ColumnLookup, encodings: LiteralEncodings): HashBinding =
    schema.resolve(leaf.column.ofValues, lookup) match {
      case _ if lookup.isOverwritten(leaf.column.root) => HashBinding.Unknown
      case FileSchema.Absent if !leaf.test.passesNull && !lookup.hasDefault(leaf.column.root) =>
        HashBinding.NoRow
      case FileSchema.Found(column) =>
        val node = schema.column(column)
        encodings.of(leaf, node.columnType) match {
          case BoundPredicate.IsNull =>
            // other tests that pass NULL also pass values
            if (leaf.test == IsNull && node.isFlat) HashBinding.Null(column)
            else HashBinding.Unknown
          case test =>
            test
              .literals(node.columnType)
              .filter(_.hashes.nonEmpty)
              .fold[HashBinding](HashBinding.Unknown)(found =>
                HashBinding.OneOf(column, found.hashes))
        }
      case _ => HashBinding.Unknown
    }
}

private[sbbf] object StoredSchema {

  /**
   * Returns a schema from its packed form.
   *
   * @throws io.sbbf.parquet.model.UnusableFile if the bytes are not a packed schema
   */
  def of(packed: Array[Byte]): StoredSchema =
    new StoredSchema(new FooterBuilder(FooterReader.parse(packed), 0).build().schema)

  /**
   * Returns the packed form of a schema with these columns alone, for a file that is no Parquet file.
   *
   * @param columns the names of the columns, and the types in which Spark would write them
   */
  def ofColumns(columns: Seq[(String, ColumnType)]): Array[Byte] = {
    val elements = new ArrayList[SchemaElement]
    elements.add(new SchemaElement("columns").setNum_children(columns.size))
    columns.foreach { case (name, of) => elements.add(SchemaReader.element(name, of)) }
    val metadata = new FileMetaData(1, elements, 0, new ArrayList[RowGroup])
    metadata.addToKey_value_metadata(RebaseMetadata.never)
    pack(metadata)
  }

  /**
   * Returns the packed form of a file's schema: a thrift `FileMetaData` without row groups and
   * without metadata that do not decide how values are read. Files that one writer made of one
   * table have equal forms.
   */
  private[parquet] def pack(metadata: FileMetaData): Array[Byte] = {
    val packed =
      new FileMetaData(metadata.getVersion, metadata.getSchema, 0, new ArrayList[RowGroup])
    if (metadata.isSetCreated_by) packed.setCreated_by(metadata.getCreated_by)
    if (metadata.isSetKey_value_metadata)
      metadata.getKey_value_metadata.forEach { entry =>
        if (RebaseMetadata.Keys(entry.getKey)) packed.addToKey_value_metadata(entry)
      }
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(packed, out)
    out.toByteArray
  }
}

/** What the rows that match a leaf hold in the column of a file. */
private[sbbf] sealed abstract class HashBinding

private[sbbf] object HashBinding {

  /** Hashes do not decide the leaf. */
  case object Unknown extends HashBinding

  /** No row of the file matches, because the file lacks the column. */
  case object NoRow extends HashBinding

  /**
   * Each of these rows holds NULL.
   *
   * @param column the number of the column among the leaves of the file's schema
   */
  final case class Null(column: Int) extends HashBinding

  /**
   * Each of these rows holds a value, or a key of the leaf's function, with one of these hashes.
   *
   * @param column the number of the column among the leaves of the file's schema
   * @param hashes XXH64 of the values in the PLAIN encoding of the file, which files with another
   *   type of the column do not share
   */
  final case class OneOf(column: Int, hashes: Array[Long]) extends HashBinding
}
