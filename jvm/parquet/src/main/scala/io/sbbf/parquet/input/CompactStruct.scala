package io.sbbf.parquet.input

import io.sbbf.parquet.model.UnusableFile

/**
 * Finds the end of structs in Thrift's compact protocol and checks that they are sane: every list
 * and string fits into the available bytes, and nesting is limited. Structs that pass are safe
 * for the generated parsers, which allocate the size that a list claims and descend as deep as
 * the bytes say.
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md)
 */
private[parquet] object CompactStruct {

  /** Parquet's own structures nest less than ten deep. */
  final val MaxDepth = 32

  /**
   * Returns the end of the struct that starts at `from`.
   *
   * @throws UnusableFile if the struct does not end by `until`, or states an invalid size
   */
  def end(bytes: Array[Byte], from: Int, until: Int): Int =
    new Walk(bytes, from, until).structEnd()

  final val Struct = 12

  /** Goes through one struct and those within it, from `from` on, up to `until` at most. */
  final class Walk(bytes: Array[Byte], from: Int, until: Int) {
    private var position = from

    /** Returns the position of the next byte. */
    def at: Int = position

    def structEnd(): Int = {
      skipStruct(0)
      at
    }

    /**
     * Goes through the fields of the struct that starts here.
     *
     * @param field a function of the id and the kind of a field whose value comes next; it has to
     *   go past the value
     */
    def fields(field: (Int, Int) => Unit): Unit = {
      var id = 0
      var header = next()
      while (header != 0) {
        val delta = header >>> 4
        id = if (delta == 0) zigzag(varint()) else id + delta
        field(id, header & 0x0f)
        header = next()
      }
    }

    /**
     * Goes through the list that starts here. `element` gets a number and has to go past the
     * element.
     */
    def elements(element: Int => Unit): Unit = {
      val (size, _) = listHeader()
      if (size < 0 || size > until - at) refuse()
      (0 until size.toInt).foreach(element)
    }

    /** Goes past the value of a field of this kind. The kind of a boolean field is its value. */
    def skipField(kind: Int): Unit = if (kind > 2) skip(kind, 1)

    private def skipStruct(depth: Int): Unit = {
      if (depth > MaxDepth) refuse()
      var header = next()
      while (header != 0) {
        if ((header & 0xf0) == 0) varint()
        val kind = header & 0x0f
        if (kind > 2) skip(kind, depth + 1) // a boolean field has its value in its type
        header = next()
      }
    }

    private def skip(kind: Int, depth: Int): Unit = kind match {
      case 1 | 2 | 3 => forward(1)
      case 4 | 5 | 6 => varint()
      case 7 => forward(8)
      case 8 => forward(varint())
      case 9 | 10 => skipList(depth)
      case 11 => skipMap(depth)
      case Struct => skipStruct(depth)
      case 13 => forward(16)
      case _ => refuse()
    }

    private def skipList(depth: Int): Unit = {
      val (size, kind) = listHeader()
      skipElements(size, kind, 0, depth)
    }

    private def listHeader(): (Long, Int) = {
      val header = next()
      (if ((header & 0xf0) == 0xf0) varint() else (header >>> 4).toLong, header & 0x0f)
    }

    private def skipMap(depth: Int): Unit = {
      val size = varint()
      if (size != 0) {
        val kinds = next()
        skipElements(size, kinds >>> 4, kinds & 0x0f, depth)
      }
    }

    /** Goes past `size` elements. An element takes at least a byte. */
    private def skipElements(size: Long, kind: Int, second: Int, depth: Int): Unit = {
      if (depth > MaxDepth || size < 0 || size > until - at) refuse()
      var left = size
      while (left > 0) {
        skip(kind, depth + 1)
        if (second != 0) skip(second, depth + 1)
        left -= 1
      }
    }

    private def varint(): Long = {
      var value = 0L
      var shift = 0
      var byte = next()
      while (byte >= 0x80) {
        if (shift > 56) refuse()
        value |= (byte & 0x7fL) << shift
        shift += 7
        byte = next()
      }
      value | byte.toLong << shift
    }

    private def zigzag(value: Long): Int = ((value >>> 1) ^ -(value & 1)).toInt

    private def next(): Int = {
      if (at >= until) refuse()
      position += 1
      bytes(at - 1) & 0xff
    }

    private def forward(length: Long): Unit = {
      if (length < 0 || length > until - at) refuse()
      position += length.toInt
    }

    private def refuse(): Nothing = throw new UnusableFile("damaged metadata")
  }
}
