package io.sbbf.bench

import scala.util.Random

/**
 * The keys of every benchmark. There are a million of them, because a CPU learns the branches of
 * a few thousand by heart and then makes early exits look free.
 */
private[bench] object Keys {
  final val Count = 1 << 20

  def longs(seed: Int, count: Int = Count): Array[Long] = {
    val random = new Random(seed)
    Array.fill(count)(random.nextLong())
  }
}
