package io.sbbf.parquet.hashes

import io.sbbf.core.predicate.KeyFunction

/**
 * Where the keys of an indexed column come from in a file.
 *
 * @param leaf the number of the column among the leaves of the file's schema
 * @param function the function whose keys are wanted; None for the values
 */
private[sbbf] final case class KeySource(leaf: Int, function: Option[KeyFunction])
