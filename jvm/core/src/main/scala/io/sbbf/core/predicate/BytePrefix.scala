package io.sbbf.core.predicate

import java.util.Arrays

/** Computes bounds of texts and bytes with a common prefix, in the order of unsigned bytes. */
object BytePrefix {

  /**
   * Returns the least bytes above everything that starts with `prefix`; None if there are no such
   * bytes.
   */
  def end(prefix: Array[Byte]): Option[Array[Byte]] = {
    val last = prefix.lastIndexWhere(_ != -1)
    if (last < 0) None
    else {
      val above = Arrays.copyOf(prefix, last + 1)
      above(last) = (above(last) + 1).toByte
      Some(above)
    }
  }
}
