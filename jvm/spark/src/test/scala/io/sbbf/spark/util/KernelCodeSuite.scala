package io.sbbf.spark.util

import scala.collection.mutable

import org.apache.xbean.asm9.Opcodes.ASM9
import org.apache.xbean.asm9.commons.CodeSizeEvaluator
import org.apache.xbean.asm9.{ClassReader, ClassVisitor, MethodVisitor}
import org.scalatest.funsuite.AnyFunSuite

import io.sbbf.core.kernel.Kernel

/** What HotSpot's compiler may do with the loops of the vector kernel, by the size of their code. */
class KernelCodeSuite extends AnyFunSuite {

  /** The default of `-XX:FreqInlineSize`: the compiler inlines no larger method. */
  private final val MostInlined = 325

  /** Returns the least number of bytecodes of each method. */
  private def sizes(name: String): Map[String, Int] = {
    val found = mutable.HashMap.empty[String, Int]
    val code = classOf[Kernel].getResourceAsStream(name)
    try
      new ClassReader(code).accept(
        new ClassVisitor(ASM9) {
          override def visitMethod(
              access: Int,
              method: String,
              descriptor: String,
              signature: String,
              exceptions: Array[String]): MethodVisitor =
            new CodeSizeEvaluator(ASM9, null) {
              override def visitEnd(): Unit = found(method) = getMinSize
            }
        },
        0
      )
    finally code.close()
    found.toMap
  }

  test(
    "the compiler inlines no loop of vectors into a caller, where vectors may land on the heap.") {
    val size = sizes("VectorKernel$.class")
    val loops = Seq("hits", "setAll")
    val inlined = loops.filter(size(_) <= MostInlined)
    assert(inlined.isEmpty, inlined.map(loop => s"$loop has ${size(loop)} bytecodes"))
  }
}
