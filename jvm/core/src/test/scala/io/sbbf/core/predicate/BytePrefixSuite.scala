package io.sbbf.core.predicate

import org.scalatest.funsuite.AnyFunSuite

class BytePrefixSuite extends AnyFunSuite {

  private def end(prefix: Int*): Option[Seq[Int]] =
    BytePrefix.end(prefix.map(_.toByte).toArray).map(_.toSeq.map(_ & 0xff))

  test("the end is the least above all that starts with the prefix, also past the highest byte") {
    assert(end('a', 'b') == Some(Seq[Int]('a', 'c')))
    assert(end(0x7f) == Some(Seq(0x80)))
    assert(end('a', 0xff, 0xff) == Some(Seq[Int]('b')))
  }

  test("an empty prefix and one of the highest bytes alone have no end") {
    assert(end() == None && end(0xff) == None && end(0xff, 0xff) == None)
  }

  test("the prefix stays unchanged") {
    val prefix = Array[Byte](1, 2)
    BytePrefix.end(prefix)
    assert(prefix.toSeq == Seq[Byte](1, 2))
  }
}
