package io.sbbf.core.kernel

import java.lang.management.ManagementFactory
import java.util.concurrent.ConcurrentLinkedQueue

import scala.util.Random

import com.sun.management.ThreadMXBean
import org.scalatest.BeforeAndAfter
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.kernel.Kernels.Mode

class KernelsSuite extends AnyFunSuite with BeforeAndAfter {

  after(Kernels.use(Mode.default))

  private val random = new Random(1)
  private val hashes = Array.fill(1 << 16)(random.nextLong())
  private val bitset = new Array[Byte](1 << 16)

  private def work(): Unit = Kernels.containsAny(bitset, hashes, 0, hashes.length)

  test("little work stays scalar, and a hit at the first hash counts as no work.") {
    for (_ <- 0 until 100) work() // 6.5 million
    val full = Array.fill[Byte](32)(-1)
    for (_ <- 0 until 1000) assert(Kernels.containsAny(full, hashes, 0, hashes.length))
    Thread.sleep(300)
    assert(Kernels.implementationName.split(", ").forall(_.contains("scalar (at first")))
  }

  test("only the capability that has worked is calibrated, once per JVM.") {
    val lines = new ConcurrentLinkedQueue[String]
    Kernels.onChoice(line => { lines.add(line); () })
    assert(lines.size == 3)
    while (!isCalibrating && lines.size == 3) work()
    Kernels.use(Mode.Scalar) // while it is being calibrated
    assert(Kernels.implementationName.endsWith("scalar (as configured)"))
    val end = System.nanoTime() + 60000000000L
    while (isCalibrating && System.nanoTime() < end) Thread.sleep(10)
    assert(Kernels.implementationName.endsWith("scalar (as configured)"))
    Kernels.use(Mode.Auto)
    Kernels.onChoice(_ => ())
    val (ofBlocks, ofOthers) =
      lines.toArray.toSeq.map(_.toString).partition(_.startsWith("filter blocks: "))
    // the first choices, those of the mode Scalar and again those of Auto, of numbers and of byte strings
    assert(ofOthers.size == 6 && ofOthers.forall(_.contains(": scalar (")))
    assert(
      ofBlocks
        .filterNot(l => l.contains("at first") || l.contains("configured"))
        .distinct
        .size == 1)
    assert(Kernels.implementationName.split(", ").count(_.contains("at first")) == 2)
  }

  private def isCalibrating: Boolean =
    Thread.getAllStackTraces.keySet.toArray
      .exists(_.asInstanceOf[Thread].getName == "sbbf-kernel-warm-up")

  test("a mode that is set is used from then on, and named.") {
    Kernels.use(Mode.Scalar)
    assert(
      Kernels.implementationName == "hashes of numbers: scalar (as configured), " +
        "hashes of byte strings: scalar (as configured), filter blocks: scalar (as configured)")
    Kernels.use(Mode.Vector)
    if (VectorKernel.bitsOfInts >= 256)
      assert(Kernels.implementationName.endsWith("filter blocks: vector (as configured)"))
  }

  test("an unknown mode is rejected with the known ones.") {
    assert(Mode.all.map(m => Mode.of(m.text)) == Mode.all)
    assert(
      intercept[IllegalArgumentException](Mode.of("simd")).getMessage ==
        "a kernel must be one of auto, scalar, vector, not 'simd'")
  }

  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]

  for (kernel <- Seq[Kernel](ScalarKernel, VectorKernel))
    test(
      s"once compiled, the ${kernel.name} kernel allocates nothing for a probe or an insert.") {
      val matches = new Array[Long](hashes.length / 64)
      val out = new Array[Long](hashes.length)
      val ints = hashes.map(_.toInt)
      val own = new Array[Byte](1 << 16)
      val blocks = Seq[(String, () => Unit)](
        "insert" -> (() => kernel.insert(own, hashes, 0, hashes.length)),
        "probe" -> (() => kernel.probe(bitset, hashes, 0, hashes.length, matches)),
        "any" -> (() => kernel.containsAny(bitset, hashes, 0, hashes.length))
      )
      val numbers = Seq[(String, () => Unit)](
        "longs" -> (() => kernel.hashLongs(hashes, 0, hashes.length, out, 0)),
        "ints" -> (() => kernel.hashInts(ints, 0, hashes.length, out, 0)))
      // vectors of 512 bits are objects on the heap where the CPU has shorter ones; KernelSelector never chooses them there
      val hashesNumbers = kernel == ScalarKernel || VectorKernel.bitsOfLongs >= 512
      val loops = if (hashesNumbers) blocks ++ numbers else blocks
      val thread = Thread.currentThread.getId
      def allocated(loop: () => Unit): Long = {
        val before = threads.getThreadAllocatedBytes(thread)
        loop()
        threads.getThreadAllocatedBytes(thread) - before
      }
      for ((name, loop) <- loops) {
        val end = System.nanoTime() + 60000000000L
        var bytes = allocated(loop)
        // of 65,536 elements; the measurement itself allocates a little
        while (bytes > 4096 && System.nanoTime() < end) bytes = allocated(loop)
        assert(bytes <= 4096, name)
      }
    }
}
