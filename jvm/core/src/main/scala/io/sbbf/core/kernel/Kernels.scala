package io.sbbf.core.kernel

/**
 * The kernel that everything in this JVM uses. Each capability starts scalar and moves to the
 * Vector API by the policy of [[KernelSelector]], on its own, because a CPU may have what one needs
 * and lack what another does. Thread-safe.
 *
 * The system property `sbbf.kernel` (`auto`, `scalar` or `vector`) sets the mode that [[use]]
 * changes.
 */
object Kernels extends Kernel {
  import KernelSelector.{Blocks, Numbers, Strings}

  sealed abstract class Mode(val text: String)

  object Mode {

    /** Scalar at first, then whichever was measured to be faster. */
    case object Auto extends Mode("auto")
    case object Scalar extends Mode("scalar")

    /** The Vector API at once where the JVM and the CPU have it, else scalar. */
    case object Vector extends Mode("vector")

    val all: Seq[Mode] = Seq(Auto, Scalar, Vector)

    /** @throws IllegalArgumentException for any other text */
    def of(text: String): Mode = text match {
      case Auto.text => Auto
      case Scalar.text => Scalar
      case Vector.text => Vector
      case _ =>
        throw new IllegalArgumentException(
          s"a kernel is ${all.map(_.text).mkString(", ")}, not '$text'")
    }

    /** What the system property says; `auto` if nothing or nothing known. */
    val default: Mode =
      try of(System.getProperty("sbbf.kernel", Auto.text))
      catch { case _: IllegalArgumentException => Auto }
  }

  private val numbers = new KernelSelector("hashes of numbers", Numbers)
  private val strings = new KernelSelector("hashes of byte strings", Strings)
  private val blocks = new KernelSelector("filter blocks", Blocks)
  private val capabilities = Seq(numbers, strings, blocks)

  @volatile private var mode: Mode = _
  use(Mode.default)

  /** From now on; nothing happens if that is the mode already. */
  def use(to: Mode): Unit = synchronized {
    if (to != mode) {
      numbers.reset(to)
      strings.reset(to)
      blocks.reset(to)
      mode = to
    }
  }

  /** Is told, in a line each, what was chosen and why, now and whenever that changes. */
  def onChoice(log: String => Unit): Unit = capabilities.foreach(_.onChoice(log))

  /**
   * What runs now, for people: `filter blocks: vector (2.9 times as fast as scalar), ...`.
   */
  def implementationName: String = capabilities.mkString(", ")

  /** `scalar`, `vector`, or `mixed` where capabilities differ. */
  override def name: String =
    capabilities.map(_.current.name).distinct match {
      case Seq(one) => one
      case _ => "mixed"
    }

  override def hashLongs(
      values: Array[Long],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    numbers.current.hashLongs(values, from, until, hashes, to)
    numbers.recordWork(until - from)
  }

  override def hashInts(
      values: Array[Int],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    numbers.current.hashInts(values, from, until, hashes, to)
    numbers.recordWork(until - from)
  }

  override def hashBytes(
      bytes: Array[Byte],
      offsets: Array[Int],
      from: Int,
      until: Int,
      hashes: Array[Long],
      to: Int): Unit = {
    strings.current.hashBytes(bytes, offsets, from, until, hashes, to)
    strings.recordWork(until - from)
  }

  override def insert(bitset: Array[Byte], hashes: Array[Long], from: Int, until: Int): Unit = {
    blocks.current.insert(bitset, hashes, from, until)
    blocks.recordWork(until - from)
  }

  override def probe(
      bitset: Array[Byte],
      hashes: Array[Long],
      from: Int,
      until: Int,
      matches: Array[Long]): Unit = {
    blocks.current.probe(bitset, hashes, from, until, matches)
    blocks.recordWork(until - from)
  }

  override def containsAny(
      bitset: Array[Byte],
      hashes: Array[Long],
      from: Int,
      until: Int): Boolean = {
    val isThere = blocks.current.containsAny(bitset, hashes, from, until)
    if (!isThere) blocks.recordWork(until - from) // else it may have been the first
    isThere
  }
}
