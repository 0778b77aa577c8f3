package io.sbbf.parquet.testing

import java.io.IOException
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.concurrent.TrieMap

import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsPermission

/** The faults of a [[FaultyFileSystem]], none at first, and what it did under them. */
class Faults {

  /**
   * The maximum number of bytes of one read. Streams of object stores, and of HDFS at the end of
   * a packet, return fewer than requested.
   */
  @volatile var bytesPerRead: Int = Int.MaxValue

  /** Whether streams support positional reads only. */
  @volatile var refusesSeeks: Boolean = false

  /** Whether positional reads fail. */
  @volatile var isDown: Boolean = false

  /** Selects the files that cannot be opened. */
  @volatile var refuses: Path => Boolean = (_: Path) => false

  /** Whether opening a file reports a cancelled query, as some stores do. */
  @volatile var isCancelled: Boolean = false

  /** The maximum number of bytes of each file that is written. */
  @volatile var maxBytes: Long = Long.MaxValue

  /** The next closes of written files that fail. */
  val failuresToClose = new AtomicInteger

  /** The number of the step that fails, from 1. */
  @volatile var failsAt: Int = Int.MaxValue

  /** The number of the step that fails with all steps after it, as if the process died. */
  @volatile var diesAt: Int = Int.MaxValue

  /** Runs at each step, on its thread. */
  @volatile var besides: String => Unit = (_: String) => ()

  /** The opened files. */
  val opens = new AtomicInteger

  /** The positional reads of a whole range. */
  val reads = new AtomicInteger

  /** The streams of written files that are neither closed nor aborted. */
  val streams = new AtomicInteger

  /** The aborted streams. */
  val aborted = new AtomicInteger

  /** The permissions with which a file was created last. */
  @volatile var rights: FsPermission = _

  private val numSteps = new AtomicInteger
  private val taken = TrieMap.empty[String, Unit]

  /** Takes a step on a file, which may fail. */
  def step(what: String): Unit = {
    besides(what)
    taken.put(what, ())
    val number = numSteps.incrementAndGet()
    if (number == failsAt || number >= diesAt) throw new IOException(s"fault at $what")
  }

  /** The names of the steps so far. */
  def steps: Set[String] = taken.keys.toSet

  /** Whether the step that fails has been reached. */
  def happened: Boolean = numSteps.get >= math.min(failsAt, diesAt)
}

object Faults {

  /** The faults of all file systems without faults of their own. */
  @volatile private[testing] var current = new Faults

  /** Runs `body` under these faults. There are none afterwards. */
  def during[T](faults: Faults)(body: => T): T = {
    current = faults
    try body
    finally current = new Faults
  }
}
