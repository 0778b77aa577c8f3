package io.sbbf.index.format

import java.io.IOException

/**
 * A file of an index does not have the form that its manifest or the format states. Errors of
 * stores are of other classes: what they hide may be valid.
 */
private[sbbf] final class DamagedIndex(message: String, cause: Throwable = null)
    extends IOException(message, cause) {

  /** Returns the same error with the file in its message. */
  def in(file: Any): DamagedIndex = new DamagedIndex(s"cannot use $file: $message", this)
}
