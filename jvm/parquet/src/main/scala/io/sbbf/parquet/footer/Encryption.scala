package io.sbbf.parquet.footer

import io.sbbf.parquet.input.ChunkModules

/** @param modules of each chunk; left out in a file that was read without keys */
private[parquet] final class Encryption(
    val isPresent: Boolean,
    val modules: Array[ChunkModules]) {
  def retainedBytes: Long = 40 + 40L * modules.length
}
