package io.sbbf.bench

import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.Kernel

/** Measures the cost of the hash of one 8-byte number. */
@OperationsPerInvocation(KernelBenchmark.Keys)
class HashLongBenchmark extends HashBenchmark(KernelBenchmark.Keys) {
  private val keys = KernelBenchmark.longs(1)

  override protected def hash(kernel: Kernel, from: Int, until: Int): Unit =
    kernel.hashLongs(keys, from, until, hashes, 0)

  override protected def referenceHash(i: Int): Long = reference.hashLong(keys(i))
  override protected def parquetHash(i: Int): Long = parquet.hash(keys(i))
}
