package io.sbbf.parquet.eval

import java.util.BitSet

import io.sbbf.parquet.model.LeafResult

/**
 * Keys that a row group might hold.
 *
 * @param result the result of each of them alone, which never refutes
 * @param keys the numbers of the keys
 */
final case class KeyHits(result: LeafResult, keys: BitSet)
