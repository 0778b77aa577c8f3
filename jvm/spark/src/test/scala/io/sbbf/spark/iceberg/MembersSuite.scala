package io.sbbf.spark.iceberg

import java.util.ArrayList

import org.scalatest.funsuite.AnyFunSuite

/** A class of a library that the extension does not link to. */
private[iceberg] class Ancestor(private val seed: Long) {
  private val found = new ArrayList[String]
  protected def add(text: String): Int = {
    found.add(text)
    found.size
  }

  protected def size: Int = found.size
  def fail(): Unit = throw new IllegalStateException(s"seed $seed")
}

private[iceberg] final class Descendant(seed: Long) extends Ancestor(seed)

final class MembersSuite extends AnyFunSuite {
  private def add(to: Descendant, text: String): Int =
    Members.call[Int](to, "add", Seq(classOf[String] -> text))

  test("methods of ancestors are called, also those that are not public.") {
    val one = new Descendant(7)
    assert(add(one, "a") == 1 && add(one, "b") == 2)
    assert(Members.call[Int](one, "size") == 2)
  }

  test("a copy has the values of all fields, and lists of its own.") {
    val one = new Descendant(7)
    add(one, "a")
    val copy = Members.copy(one)
    assert(Members.field[Long](copy, "seed").contains(7L) && add(copy, "b") == 2)
    assert(Members.call[Int](one, "size") == 1)
  }

  test("an exception of a method is thrown as it is.") {
    val one = new Descendant(7)
    assert(
      intercept[IllegalStateException](Members.call[Unit](one, "fail")).getMessage == "seed 7")
  }

  test("an unknown method or field is an error that names it.") {
    val one = new Descendant(7)
    assert(!Members.has(one, "other") && Members.has(one, "add", classOf[String]))
    assert(Members.field[Any](one, "other").isEmpty)
    val error = intercept[NoSuchMethodException](Members.call[Any](one, "other"))
    assert(error.getMessage.endsWith("Descendant.other"))
  }
}
