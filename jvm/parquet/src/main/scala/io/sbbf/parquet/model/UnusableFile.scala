package io.sbbf.parquet.model

import java.io.IOException

/**
 * Signals that nothing is known about a file, so that all of it has to be read. It has no cause,
 * because the messages of the metadata's parsers may quote stored values.
 *
 * @param reason the reason in a few words
 */
final class UnusableFile(val reason: String) extends IOException(reason)
