package io.sbbf.core.kernel

import java.util.Locale
import java.util.concurrent.atomic.AtomicLong

import scala.util.Random
import scala.util.control.NonFatal

import Kernels.Mode

/**
 * When one group of loops moves from scalar code to the Vector API. The policy, in one place:
 *
 *   1. Where the module or HotSpot's C2 is missing: never.
 *   1. Until [[KernelSelector.WorkToPay]] elements have passed: not yet. The vector code costs a
 *      cold JVM 0.1 to 1 s of compilation, which a short life never earns back.
 *   1. Then a daemon thread runs both kernels side by side on data of its own, off any query's
 *      path, until the vector kernel is compiled and was faster in ten rounds on end: it takes
 *      over. If it was not within [[KernelSelector.Timeout]], scalar stays. Flags and widths cannot
 *      tell: the same loop is 2.5 times slower than scalar on one CPU with AVX-512 and 6 times
 *      faster on another.
 *
 * Thread-safe.
 */
private[kernel] final class KernelSelector(label: String, trial: KernelSelector.Calibration) {
  import KernelSelector._

  @volatile private var choice: Choice = AtFirst
  @volatile private var listener: Option[String => Unit] = None
  private var mode: Mode = Mode.Auto
  private var rehearsal: Option[Choice] = None // made once: neither the JVM nor the CPU change
  private val work = new AtomicLong

  def current: Kernel = choice.kernel

  /** Counts work that was done, until there was enough of it to rehearse. */
  def recordWork(elements: Int): Unit =
    if (!choice.isFinal && work.get < WorkToPay) {
      val before = work.getAndAdd(elements.toLong)
      if (before < WorkToPay && before + elements >= WorkToPay) startRehearsal()
    }

  def reset(to: Mode): Unit = {
    synchronized {
      mode = to
      choice = to match {
        case Mode.Scalar => Choice(ScalarKernel, "set so")
        case Mode.Vector =>
          obstacle match {
            case Some(why) => Choice(ScalarKernel, why)
            case None => Choice(VectorKernel, "set so")
          }
        case Mode.Auto =>
          (Platform.obstacle, rehearsal) match {
            case (Some(why), _) => Choice(ScalarKernel, why)
            case (None, Some(found)) => found
            case (None, None) => AtFirst
          }
      }
    }
    tell()
  }

  def onChoice(log: String => Unit): Unit = {
    listener = Some(log)
    tell()
  }

  private def tell(): Unit = listener match {
    case Some(log) => log(toString)
    case None =>
  }

  override def toString: String = {
    val now = choice
    s"$label: ${now.kernel.name} (${now.reason})"
  }

  private def startRehearsal(): Unit = {
    val thread = new Thread(() => calibrate(), "sbbf-kernel-warm-up")
    thread.setDaemon(true)
    thread.start()
  }

  private def calibrate(): Unit = {
    val found =
      try calibrated()
      catch {
        case e: LinkageError => Choice(ScalarKernel, anotherApi(e))
        case NonFatal(e) => Choice(ScalarKernel, failing(e))
      }
    val isChosen = synchronized {
      rehearsal = Some(found)
      if (mode == Mode.Auto) choice = found
      mode == Mode.Auto
    }
    if (isChosen) tell()
  }

  private def calibrated(): Choice =
    obstacle match {
      case Some(why) => Choice(ScalarKernel, why)
      case None =>
        val gain = measuredGain()
        val factor = String.format(Locale.ROOT, "%.1f", Double.box(gain))
        if (gain > 1) Choice(VectorKernel, s"$factor times as fast as scalar")
        else Choice(ScalarKernel, s"vector was not steadily faster: $factor times")
    }

  /**
   * How many times as fast vector was as scalar: in the rounds that it won, or the last one, which
   * is at most 1.
   */
  private def measuredGain(): Double = {
    val task = trial.prepare()
    val end = System.nanoTime() + Timeout
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

  /** The best of three, because other threads take the CPU away at times. */
  private def time(task: Kernel => Unit, kernel: Kernel): Double =
    Seq
      .fill(3) {
        val start = System.nanoTime()
        task(kernel)
        math.max(1, System.nanoTime() - start).toDouble
      }
      .min

  /** Why the vector kernel cannot run here, if so; loads it to see. */
  private def obstacle: Option[String] = Platform.obstacle.orElse {
    try {
      val bits = trial.bits
      if (bits >= trial.bitsNeeded) {
        trial.prepare()(VectorKernel) // methods are linked when they are called
        None
      } else Some(s"vectors have $bits bits, ${trial.bitsNeeded} are needed")
    } catch {
      case e: LinkageError => Some(anotherApi(e))
      case NonFatal(e) => Some(failing(e))
    }
  }
}

private[kernel] object KernelSelector {

  private final case class Choice(kernel: Kernel, reason: String) {
    def isFinal: Boolean = this ne AtFirst
  }

  private val AtFirst =
    Choice(ScalarKernel, "at first; there has not been work enough to calibrate vector")

  private def anotherApi(e: LinkageError) = s"the Vector API of this JDK is another one: $e"
  private def failing(e: Throwable) = s"the Vector API fails: $e"

  /**
   * About 0.1 s of scalar work, as much as compiling takes from other threads at least. (Work in
   * all at which a cold JVM comes out even: 25 to 45 million probes.)
   */
  final val WorkToPay: Long = 1L << 24

  /** In nanoseconds; on two busy cores JDK 17 and 25 took up to 2 s to compile the hashes. */
  final val Timeout = 10000000000L

  private final val WinsOnEnd = 10

  /** Less is noise. */
  private final val Margin = 1.1

  /** What a capability needs and how to try it out. */
  sealed abstract class Calibration(val bitsNeeded: Int) {

    /** How wide the vectors of this machine are. */
    def bits: Int

    /** Work for a kernel, on data that are made now. */
    def prepare(): Kernel => Unit
  }

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

  object Numbers extends Calibration(512) {
    override def bits: Int = VectorKernel.bitsOfLongs
    override def prepare(): Kernel => Unit = {
      val (values, hashes) = (longs(), new Array[Long](Elements))
      val ints = values.map(_.toInt)
      kernel =>
        inCallsOf(64) { (from, until) =>
          kernel.hashLongs(values, from, until, hashes, from)
          kernel.hashInts(ints, from, until, hashes, from)
        }
    }
  }

  object Strings extends Calibration(512) {
    override def bits: Int = VectorKernel.bitsOfLongs
    override def prepare(): Kernel => Unit = {
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
  }

  object Blocks extends Calibration(256) {
    override def bits: Int = VectorKernel.bitsOfInts
    override def prepare(): Kernel => Unit = {
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
  }
}
