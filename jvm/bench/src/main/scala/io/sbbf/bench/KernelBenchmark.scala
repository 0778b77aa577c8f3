package io.sbbf.bench

import java.util
import java.util.concurrent.TimeUnit

import scala.util.Random

import org.openjdk.jmh.annotations._

/**
 * What the benchmarks of the kernels share: nanoseconds for each key, on one thread, in JVMs that
 * run one contestant each.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 900, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 250, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 2, jvmArgsAppend = Array("--add-modules=jdk.incubator.vector", "-Xmx3g"))
abstract class KernelBenchmark

private[bench] object KernelBenchmark {

  /**
   * A million keys, because a CPU learns the branches of a few thousand by heart and then makes
   * early exits look free.
   */
  final val Keys = 1 << 20

  /** Keys whose hashes are used before those of the next ones, as a page's values are. */
  final val Batch = 1 << 12

  /** Distinct as far as 64 random bits are. */
  def longs(seed: Int, count: Int = Keys): Array[Long] = {
    val random = new Random(seed)
    Array.fill(count)(random.nextLong())
  }

  /**
   * The hashes as given if `order` is `random`; sorted anew if it is `sorted`, so that the sort is
   * in the measured time. Ascending hashes ask a filter's blocks in ascending order, but for one
   * leap where signs change.
   */
  def inOrder(hashes: Array[Long], order: String): Array[Long] =
    if (order == "sorted") {
      val sorted = hashes.clone()
      util.Arrays.sort(sorted)
      sorted
    } else hashes

  /** The NDV at which a filter has an FPP of 1 %: 10.5 bits a value ("Sizing an SBBF"). */
  def ndvAtOnePercent(filterBytes: Int): Int = (8L * filterBytes / 10.5).toInt
}
