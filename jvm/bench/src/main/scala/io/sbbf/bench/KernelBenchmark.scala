package io.sbbf.bench

import java.util
import java.util.concurrent.TimeUnit

import scala.util.Random

import org.openjdk.jmh.annotations._

/**
 * The base of the kernel benchmarks: nanoseconds per key, on one thread, in JVMs that run one
 * contestant each.
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
   * A million keys, because a CPU memorizes the branches of a few thousand, which makes early
   * exits look free.
   */
  final val Keys = 1 << 20

  /**
   * The number of keys whose hashes are used before those of the next keys, like the values of a
   * page.
   */
  final val Batch = 1 << 12

  /** Returns keys that are as distinct as 64 random bits are. */
  def longs(seed: Int, count: Int = Keys): Array[Long] = {
    val random = new Random(seed)
    Array.fill(count)(random.nextLong())
  }

  /**
   * Returns the hashes as given if `order` is `random`. If it is `sorted`, sorts a copy of them,
   * so that the measured time includes the sort. Ascending hashes probe a filter's blocks in
   * ascending order, except for one jump where the sign changes.
   */
  def inOrder(hashes: Array[Long], order: String): Array[Long] =
    if (order == "sorted") {
      val sorted = hashes.clone()
      util.Arrays.sort(sorted)
      sorted
    } else hashes

  /**
   * Returns the NDV at which a filter has an FPP of 1 %: 10.5 bits a value ("Sizing an SBBF").
   */
  def ndvAtOnePercent(filterBytes: Int): Int = (8L * filterBytes / 10.5).toInt
}
