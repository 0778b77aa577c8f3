package io.sbbf.core.kernel

import java.util.Locale
import java.util.concurrent.atomic.AtomicLong

import scala.util.Random
import scala.util.control.NonFatal

import Kernels.Mode

/**
 * Decides when one group of loops moves from scalar code to the Vector API. The policy, in one
 * place:
 *
 *   1. Without the module or HotSpot's C2: never.
 *   1. Before [[KernelSelector.WorkToPay]] elements have passed: not yet. The vector code costs a
 *      cold JVM 0.1 to 1 s of compilation, which a short life never earns back.
 *   1. Then a daemon thread runs both kernels side by side on its own data, off any query's path.
 *      The vector kernel takes over once it is compiled and was faster in ten consecutive rounds.
 *      If that takes longer than [[KernelSelector.Timeout]], scalar stays.
 *
 * CPU flags and vector widths cannot replace the measurement: the same loop is 2.5 times slower
 * than scalar on one CPU with AVX-512 and 6 times faster on another.
 *
 * Thread-safe.
 */
private[kernel] final class KernelSelector(
    label: String,
    calibration: KernelSelector.Calibration) {
  import KernelSelector._

  @volatile private var choice: Choice = AtFirst
  @volatile private var listener: Option[String => Unit] = None
  private var mode: Mode = Mode.Auto
  private var measured: Option[Choice] = None // once: neither the JVM nor the CPU changes
  private val work = new AtomicLong

  def current: Kernel = choice.kernel

  /** Counts finished work, and starts the calibration when there was enough of it. */
  def recordWork(elements: Int): Unit =
    if (!choice.isFinal && work.get < WorkToPay) {
      val before = work.getAndAdd(elements.toLong)
      if (before < WorkToPay && before + elements >= WorkToPay) startCalibration()
    }

  def reset(to: Mode): Unit = {
    synchronized {
      mode = to
      choice = to match {
        case Mode.Scalar => Choice(ScalarKernel, "as configured")
        case Mode.Vector =>
          obstacle match {
            case Some(why) => Choice(ScalarKernel, why)
            case None => Choice(VectorKernel, "as configured")
          }
        case Mode.Auto =>
          (Platform.obstacle, measured) match {
            case (Some(why), _) => Choice(ScalarKernel, why)
            case (None, Some(found)) => found
            case (None, None) => AtFirst
          }
      }
    }
    report()
  }

  def onChoice(log: String => Unit): Unit = {
    listener = Some(log)
    report()
  }

  private def report(): Unit = listener match {
    case Some(log) => log(toString)
    case None =>
  }

  override def toString: String = {
    val now = choice
    s"$label: ${now.kernel.name} (${now.reason})"
  }

  private def startCalibration(): Unit = {
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
      measured = Some(found)
      if (mode == Mode.Auto) choice = found
      mode == Mode.Auto
    }
    if (isChosen) report()
  }

  private def calibrated(): Choice =
    obstacle match {
      case Some(why) => Choice(ScalarKernel, why)
      case None =>
        val gain = measuredGain()
        val factor = String.format(Locale.ROOT, "%.1f", Double.box(gain))
        if (gain > 1) Choice(VectorKernel, s"$factor times as fast as scalar")
        else Choice(ScalarKernel, s"vector was not consistently faster: $factor times")
    }

  /**
   * Returns how many times as fast the vector kernel was as the scalar one, over the rounds that
   * it won on end. Returns at most 1 if it did not win [[WinsOnEnd]] rounds on end in time.
   */
  private def measuredGain(): Double = {
    val task = calibration.prepare()
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

  /**
   * Returns the shortest of three times in nanoseconds, because other threads take the CPU away
   * at times.
   */
  private def time(task: Kernel => Unit, kernel: Kernel): Double =
    Seq
      .fill(3) {
        val start = System.nanoTime()
        task(kernel)
        math.max(1, System.nanoTime() - start).toDouble
      }
      .min

  /** Returns why the vector kernel cannot run here, if so. Loads the kernel to find out. */
  private def obstacle: Option[String] = Platform.obstacle.orElse {
    try {
      val bits = calibration.bits
      if (bits >= calibration.bitsNeeded) {
        calibration.prepare()(VectorKernel) // a method is linked at its first call
        None
      } else Some(s"vectors have $bits bits, ${calibration.bitsNeeded} are needed")
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
    Choice(ScalarKernel, "at first; there was too little work to calibrate vector")

  private def anotherApi(e: LinkageError) = s"this JDK has an incompatible Vector API: $e"
  private def failing(e: Throwable) = s"the Vector API fails: $e"

  /**
   * The number of elements that starts the calibration. They take about 0.1 s of scalar work, at
   * least as much as compilation takes from other threads. (A cold JVM breaks even at 25 to 45
   * million probes in total.)
   */
  final val WorkToPay: Long = 1L << 24

  /**
   * The longest calibration, in nanoseconds. On two busy cores, JDK 17 and 25 took up to 2 s to
   * compile the hashes.
   */
  final val Timeout = 10000000000L

  private final val WinsOnEnd = 10

  /** The factor by which the vector kernel has to be faster to win a round; less is noise. */
  private final val Margin = 1.1

  /** States which vectors a group of loops needs, and provides work to measure it with. */
  sealed abstract class Calibration(val bitsNeeded: Int) {

    /** Returns the width of this machine's vectors in bits. */
    def bits: Int

    /** Returns work for a kernel, on data that this call makes. */
    def prepare(): Kernel => Unit
  }

  private final val Elements = 4096

  /**
   * Splits the elements into calls as short as real ones may be, because calls are compiled apart
   * from their loops.
   */
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
      val (present, probed) = (held ++ held, absent ++ absent)
      val matches = new Array[Long](1)
      kernel =>
        inCallsOf(64) { (from, until) =>
          kernel.insert(bitset, present, from, until)
          kernel.probe(bitset, probed, from, until, matches)
          kernel.containsAny(bitset, probed, from, until)
        }
    }
  }
}
