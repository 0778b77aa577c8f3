package io.sbbf.parquet.write

import java.io.ByteArrayOutputStream

import io.sbbf.parquet.input.CompactStruct

/**
 * Replaces the bloom filters that a footer names. It copies everything else byte by byte,
 * including fields that no version of parquet-java knows. parquet-java's thrift classes would
 * drop such fields, and those of Spark 3.5 also drop `bloom_filter_length`.
 *
 * The field ids are those of parquet.thrift.
 */
private[parquet] object FooterPatch {
  private final val RowGroups = 4 // FileMetaData.row_groups
  private final val Columns = 1 // RowGroup.columns
  private final val MetaData = 3 // ColumnChunk.meta_data
  private final val Offset = 14 // ColumnMetaData.bloom_filter_offset, i64
  private final val Length = 15 // ColumnMetaData.bloom_filter_length, i32

  private final val I32 = 5
  private final val I64 = 6

  /**
   * Returns the footer with other bloom filters.
   *
   * @param footer a thrift `FileMetaData`, not encrypted
   * @param place the change to the filter of a row group and column, by their numbers in the file
   * @throws UnusableFile if the footer is damaged
   */
  def patched(footer: Array[Byte], place: (Int, Int) => FilterLocation): Array[Byte] =
    new Patch(footer, place).result()

  private final class Patch(footer: Array[Byte], place: (Int, Int) => FilterLocation) {
    private val walk = new CompactStruct.Walk(footer, 0, footer.length)
    private val out = new ByteArrayOutputStream(footer.length + 4096)
    private var copied = 0

    def result(): Array[Byte] = {
      within(RowGroups)(walk.elements { rowGroup =>
        within(Columns)(walk.elements { column =>
          within(MetaData)(place(rowGroup, column) match {
            case FilterLocation.Unchanged => walk.skipField(CompactStruct.Struct)
            case changed => metaData(changed)
          })
        })
      })
      copyTo(footer.length)
      out.toByteArray
    }

    /** Walks through a struct and applies `value` to the field `wanted`. */
    private def within(wanted: Int)(value: => Unit): Unit =
      walk.fields((id, kind) => if (id == wanted) value else walk.skipField(kind))

    /**
     * Copies a `ColumnMetaData` with a changed filter. It rewrites all field headers, because a
     * header states the distance from the previous field.
     */
    private def metaData(changed: FilterLocation): Unit = {
      copyTo(walk.at)
      var last = 0
      def header(id: Int, kind: Int): Unit = {
        val delta = id - last
        if (delta > 0 && delta <= 15) out.write(delta << 4 | kind)
        else {
          out.write(kind)
          varint(zigzag(id))
        }
        last = id
      }
      var missing = Some(changed).collect { case at: FilterLocation.At => at }
      def put(): Unit = {
        missing.foreach { at =>
          header(Offset, I64)
          varint(zigzag(at.offset))
          header(Length, I32)
          varint(zigzag(at.length))
        }
        missing = None
      }
      walk.fields { (id, kind) =>
        val start = walk.at
        walk.skipField(kind)
        if (id > Length) put()
        if (id != Offset && id != Length) {
          header(id, kind)
          out.write(footer, start, walk.at - start)
        }
      }
      put()
      out.write(0)
      copied = walk.at
    }

    private def copyTo(end: Int): Unit = {
      out.write(footer, copied, end - copied)
      copied = end
    }

    private def zigzag(value: Long): Long = value << 1 ^ value >> 63

    private def varint(value: Long): Unit = {
      var left = value
      while ((left & ~0x7fL) != 0) {
        out.write((left & 0x7f | 0x80).toInt)
        left >>>= 7
      }
      out.write(left.toInt)
    }
  }
}

/** The change to the bloom filter that a footer names for a column chunk. */
private[parquet] sealed trait FilterLocation

private[parquet] object FilterLocation {

  /** The footer keeps what it states, even if that is no filter. */
  case object Unchanged extends FilterLocation

  /** The footer no longer names a filter. */
  case object Dropped extends FilterLocation

  /**
   * The footer names the filter at this position.
   *
   * @param offset the start of the filter's header in the file
   * @param length the number of bytes of header and bitset
   */
  final case class At(offset: Long, length: Int) extends FilterLocation
}
