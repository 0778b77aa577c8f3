package io.sbbf.bench

import org.openjdk.jmh.annotations._

import io.sbbf.core.kernel.Kernel

/** Measures the cost of the hash of one 4-byte number. */
@OperationsPerInvocation(KernelBenchmark.Keys)
class HashIntBenchmark extends HashBenchmark(KernelBenchmark.Keys) {
  private val keys = KernelBenchmark.longs(1).map(_.toInt)

  override protected def hash(kernel: Kernel, from: Int, until: Int): Unit =
    kernel.hashInts(keys, from, until, hashes, 0)

  override protected def referenceHash(i: Int): Long = reference.hashInt(keys(i))
  override protected def parquetHash(i: Int): Long = parquet.hash(keys(i))
}
