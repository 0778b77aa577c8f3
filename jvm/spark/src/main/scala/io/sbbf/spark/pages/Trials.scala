package io.sbbf.spark.pages

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

/** Remembers in each JVM whether the reads of a scan were worth their first step. Thread-safe. */
private[pages] final class Trials extends Serializable {
  import Trials._

  private val id = UUID.randomUUID

  @transient private lazy val balance: AtomicInteger = {
    if (balances.size >= MostScans) balances.clear()
    balances.computeIfAbsent(id, _ => new AtomicInteger)
  }

  def succeeded(): Unit = balance.incrementAndGet()
  def failed(): Unit = balance.decrementAndGet()

  def areHopeless: Boolean = balance.get <= -MostFailures
}

private object Trials {
  private final val MostFailures = 2
  private final val MostScans = 1000
  private val balances = new ConcurrentHashMap[UUID, AtomicInteger]
}
