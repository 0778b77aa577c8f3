package io.sbbf.orc.file

/**
 * A stripe of a file.
 *
 * @param offset where it starts; a reader assigns it to the split that holds this position
 * @param bytes its length
 */
private[orc] final case class Stripe(offset: Long, bytes: Long, rows: Long)
