package io.sbbf.parquet.model

import java.io.IOException

/**
 * Nothing can be known about a file, so all of it has to be read. It has no cause, because the
 * messages of the metadata's parsers may quote what the file stores.
 *
 * @param reason in a few words
 */
final class UnusableFile(val reason: String) extends IOException(reason)
