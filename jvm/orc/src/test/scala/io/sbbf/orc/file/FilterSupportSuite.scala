package io.sbbf.orc.file

import org.apache.orc.OrcProto
import org.scalatest.funsuite.AnyFunSuite

/** Tests which files have bloom filters that may lack values. */
class FilterSupportSuite extends AnyFunSuite {

  private def footer(writer: Int, version: Option[String]): OrcProto.Footer = {
    val built = OrcProto.Footer.newBuilder.setWriter(writer)
    version.foreach(built.setSoftwareVersion)
    built.build()
  }

  test("filters of the C++ writer are wrong before 1.6.12 and 1.7.1, and without a version.") {
    Seq(None, Some("1.6.0"), Some("1.6.11"), Some("1.7.0"), Some("1.7.0-SNAPSHOT"))
      .foreach(version => assert(FilterSupport.isWrong(footer(1, version)), version))
    Seq("1.6.12", "1.7.1", "1.8.0", "2.3.0")
      .foreach(version => assert(!FilterSupport.isWrong(footer(1, Some(version))), version))
  }

  test("filters of other writers are right.") {
    for (writer <- Seq(0, 2, 3, 4, 5); version <- Seq(None, Some("1.7.0")))
      assert(!FilterSupport.isWrong(footer(writer, version)))
  }
}
