package io.sbbf.core.kernel

/**
 * Runs the loops with the kernel that this JVM has chosen. Each capability (a group of loops)
 * starts scalar and moves to the Vector API by the policy of [[KernelSelector]]. Each moves on
 * its own, because a CPU may have what one needs and lack what another does. Thread-safe.
 *
 * The system property `sbbf.kernel` (`auto`, `scalar` or `vector`) sets the first mode; [[use]]
 * changes it.
 */
object Kernels extends Kernel {
  import KernelSelector.{Blocks, Numbers, Strings}

  sealed abstract class Mode(val text: String)

  object Mode {

    /** Scalar at first, then the kernel that was measured to be faster. */
    case object Auto extends Mode("auto")
    case object Scalar extends Mode("scalar")

    /** The Vector API at once if the JVM and the CPU have it, else scalar. */
    case object Vector extends Mode("vector")

    val all: Seq[Mode] = Seq(Auto, Scalar, Vector)

    /**
     * Returns the mode with this name.
     *
     * @throws IllegalArgumentException for any other text
     */
    def of(text: String): Mode = text match {
      case Auto.text => Auto
      case Scalar.text => Scalar
      case Vector.text => Vector
      case _ =>
        throw new IllegalArgumentException(
          s"a kernel must be one of ${all.map(_.text).mkString(", ")}, not '$text'")
    }

    /** The system property that selects the mode of a JVM. */
    final val Property = "sbbf.kernel"

    /** The mode that the system property sets; `auto` if the property is missing or unknown. */
    val default: Mode =
      try of(System.getProperty(Property, Auto.text))
      catch { case _: IllegalArgumentException => Auto }
  }

  private val numbers = new KernelSelector("hashes of numbers", Numbers)
  private val strings = new KernelSelector("hashes of byte strings", Strings)
  private val blocks = new KernelSelector("filter blocks", Blocks)
  private val capabilities = Seq(numbers, strings, blocks)

  @volatile private var mode: Mode = _
  use(Mode.default)

  /** Uses this mode from now on. Does nothing if it is the current mode. */
  def use(to: Mode): Unit = synchronized {
    if (to != mode) {
      numbers.reset(to)
      strings.reset(to)
      blocks.reset(to)
      mode = to
    }
  }

  /**
   * Calls `log` with one line per capability that states the choice and the reason, now and
   * whenever a choice changes.
   */
  def onChoice(log: String => Unit): Unit = capabilities.foreach(_.onChoice(log))

  /**
   * Returns the current choices for people to read:
   * `filter blocks: vector (2.9 times as fast as scalar), ...`.
   */
  def implementationName: String = capabilities.mkString(", ")

  /** Returns `scalar`, `vector`, or `mixed` if capabilities differ. */
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
    if (!isThere) blocks.recordWork(until - from) // a hit may end at the first hash
    isThere
  }
}
