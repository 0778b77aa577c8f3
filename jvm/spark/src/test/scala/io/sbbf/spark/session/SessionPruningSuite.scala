package io.sbbf.spark.session

import org.scalatest.funsuite.AnyFunSuite

class SessionPruningSuite extends AnyFunSuite {

  Seq("1.8" -> 8, "11" -> 11).foreach { case (version, number) =>
    test(s"Java $number, on which Spark 3.5 runs, is refused with a reason.") {
      val reason = SessionPruning.refusal(version)
      assert(
        reason.exists(
          _.startsWith(s"spark-sbbf needs Java 17 or newer, and this is Java $number")))
    }
  }

  Seq("17", "21", "25").foreach { version =>
    test(s"Java $version is supported.") {
      assert(SessionPruning.refusal(version).isEmpty)
    }
  }
}
