package io.sbbf.core
package kernel

import java.util.Locale
import java.util.concurrent.atomic.AtomicLong

import scala.util.Random
import scala.util.control.NonFatal

import Kernels.Mode

/**
 * When one group of loops moves from scalar code to the Vector API. The policy, in one place:
 *
 *   1. Where the module or HotSpot's C2 is missing: never.
 *   1. Until [[Capability.WorkToPay]] elements have passed: not yet. The vector code costs a
 *      cold JVM 0.1 to 1 s of compilation, which a short life never earns back.
 *   1. Then a daemon thread runs both kernels side by side on data of its own, off any query's
 *      path, until the vector kernel is compiled and was faster in ten rounds on end: it takes
 *      over. If it was not within [[Capability.Patience]], scalar stays. Flags and widths cannot
 *      tell: the same loop is 2.5 times slower than scalar on one CPU with AVX-512 and 6 times
 *      faster on another.
 *
 * Thread-safe.
 */
private[kernel] final class Capability(label: String, trial: Capability.Trial) {
  import Capability._

  @volatile private var chosen: Kernel = ScalarKernel
  @volatile private var reason = ""
  @volatile private var isSettled = false
  @volatile private var log: String => Unit = (_: String) => ()
  private val work = new AtomicLong
  private var setting = 0 // counts resets: a rehearsal that began before the last one is void

  /** The kernel for the next `elements` of work, which are counted. */
  def forWork(elements: Int): Kernel = {
    if (!isSettled && work.get < WorkToPay && work.addAndGet(elements.toLong) >= WorkToPay)
      startRehearsal()
    chosen
  }

  def current: Kernel = chosen

  def reset(mode: Mode): Unit = synchronized {
    setting += 1
    mode match {
      case Mode.Scalar => settle(ScalarKernel, "set so")
      case Mode.Vector =>
        obstacle match {
          case Some(why) => settle(ScalarKernel, why)
          case None => settle(VectorKernel, "set so")
        }
      case Mode.Auto =>
        Platform.obstacle match {
          case Some(why) => settle(ScalarKernel, why)
          case None => begin()
        }
    }
  }

  def onChoice(listener: String => Unit): Unit = {
    log = listener
    log(toString)
  }

  override def toString: String = s"$label: ${chosen.name} ($reason)"

  private def begin(): Unit = {
    chosen = ScalarKernel
    reason = "at first; vector when there has been enough work"
    work.set(0)
    isSettled = false
  }

  private def settle(kernel: Kernel, why: String): Unit = {
    chosen = kernel
    reason = why
    isSettled = true
    log(toString)
  }

  private def startRehearsal(): Unit = {
    val current = synchronized(setting)
    val thread = new Thread(() => rehearse(current), "sbbf-kernel-warm-up")
    thread.setDaemon(true)
    thread.start()
  }

  private def rehearse(of: Int): Unit = {
    val (kernel, why) =
      try rehearsed()
      catch {
        case e: LinkageError => (ScalarKernel, s"the Vector API of this JDK is another one: $e")
        case NonFatal(e) => (ScalarKernel, s"the Vector API fails: $e")
      }
    synchronized(if (setting == of && !isSettled) settle(kernel, why))
  }

  private def rehearsed(): (Kernel, String) =
    obstacle match {
      case Some(why) => (ScalarKernel, why)
      case None =>
        val gain = measuredGain()
        val factor = String.format(Locale.ROOT, "%.1f", Double.box(gain))
        if (gain > 1) (VectorKernel, s"$factor times as fast as scalar")
        else (ScalarKernel, s"vector was not steadily faster: $factor times")
    }

  /**
   * How many times as fast vector was as scalar: in the rounds that it won, or the last one, which
   * is at most 1.
   */
  private def measuredGain(): Double = {
    val task = trial.prepare()
    val end = System.nanoTime() + Patience
    var wins = 0
    var (scalar, vector) = (0.0, 0.0)
    while (wins < WinsOnEnd && System.nanoTime() - end < 0) {
      val (one, other) = (time(task, ScalarKernel), time(task, VectorKernel))
      val isWon = one > Margin * other
      wins = if (isWon) wins + 1 else 0
      scalar = if (wins > 1) scalar + one else one
      vector = if (wins > 1) vector + other else other
    }
    if (wins == WinsOnEnd) scalar / vector else math.min(scalar / vector, 1)
  }

  private def time(task: Kernel => Unit, kernel: Kernel): Double = {
    val start = System.nanoTime()
    task(kernel)
    math.max(1, System.nanoTime() - start).toDouble
  }

  /** Why the vector kernel cannot run here, if so; loads it to see. */
  private def obstacle: Option[String] = Platform.obstacle.orElse {
    try {
      val bits = trial.bits()
      if (bits >= trial.bitsNeeded) {
        trial.prepare()(VectorKernel) // methods are linked when they are called
        None
      } else Some(s"vectors have $bits bits, ${trial.bitsNeeded} are needed")
    } catch {
      case e: LinkageError => Some(s"the Vector API of this JDK is another one: $e")
      case NonFatal(e) => Some(s"the Vector API fails: $e")
    }
  }
}

private[kernel] object Capability {

  /**
   * About 0.1 s of scalar work, as much as compiling takes from other threads at least. (Work in
   * all at which a cold JVM comes out even: 25 to 45 million probes.)
   */
  final val WorkToPay: Long = 1L << 24

  /** In nanoseconds; on two busy cores JDK 17 and 25 took up to 2 s to compile the hashes. */
  final val Patience = 10000000000L

  private final val WinsOnEnd = 10

  /** Less is noise. */
  private final val Margin = 1.1

  /**
   * What a capability needs and how to try it out.
   *
   * @param bits how wide the vectors of this machine are
   */
  final class Trial(val bitsNeeded: Int, val bits: () => Int, val prepare: () => Kernel => Unit)

  private final val Elements = 4096

  /** In calls as short as real ones may be, because calls are compiled apart from their loops. */
  private def inCallsOf(length: Int)(call: (Int, Int) => Unit): Unit = {
    var from = 0
    while (from < Elements) {
      call(from, from + length)
      from += length
    }
  }

  private def longs(): Array[Long] = {
    val random = new Random(1)
    Array.fill(Elements)(random.nextLong())
  }

  val Numbers: Trial = new Trial(
    512,
    () => VectorKernel.bitsOfLongs,
    () => {
      val (values, hashes) = (longs(), new Array[Long](Elements))
      val ints = values.map(_.toInt)
      kernel =>
        inCallsOf(64) { (from, until) =>
          kernel.hashLongs(values, from, until, hashes, from)
          kernel.hashInts(ints, from, until, hashes, from)
        }
    }
  )

  val Strings: Trial = new Trial(
    512,
    () => VectorKernel.bitsOfLongs,
    () => {
      val hashes = new Array[Long](Elements)
      // the lengths of digests and UUIDs, as bytes and as text
      val columns = for (width <- Seq(16, 36)) yield {
        val bytes = new Array[Byte](Elements * width)
        new Random(1).nextBytes(bytes)
        (bytes, Array.tabulate(Elements + 1)(_ * width))
      }
      kernel =>
        for ((bytes, offsets) <- columns) inCallsOf(512) { (from, until) =>
          kernel.hashBytes(bytes, offsets, from, until, hashes, from)
        }
    }
  )

  val Blocks: Trial = new Trial(
    256,
    () => VectorKernel.bitsOfInts,
    () => {
      val bitset = new Array[Byte](1 << 16)
      val (held, absent) = longs().splitAt(Elements / 2)
      val (present, asked) = (held ++ held, absent ++ absent)
      val matches = new Array[Long](1)
      kernel =>
        inCallsOf(64) { (from, until) =>
          kernel.insert(bitset, present, from, until)
          kernel.probe(bitset, asked, from, until, matches)
          kernel.containsAny(bitset, asked, from, until)
        }
    }
  )
}
