package io.sbbf.parquet.footer

import io.sbbf.parquet.input.ChunkModules

/**
 * States whether a file is encrypted, and how its modules are read.
 *
 * @param modules the readers of each chunk's modules; empty if the file was read without keys
 */
private[parquet] final class Encryption(
    val isPresent: Boolean,
    val modules: Array[ChunkModules]) {
  def retainedBytes: Long = 40 + 40L * modules.length
}
