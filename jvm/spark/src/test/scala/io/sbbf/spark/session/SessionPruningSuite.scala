package io.sbbf.spark.session

import org.scalatest.funsuite.AnyFunSuite

class SessionPruningSuite extends AnyFunSuite {

  Seq("1.8" -> 8, "11" -> 11).foreach { case (told, number) =>
    test(s"Java $number, on which Spark 3.5 runs, is refused with what to do.") {
      val reason = SessionPruning.refusal(told)
      assert(
        reason.exists(
          _.startsWith(s"spark-sbbf needs Java 17 or newer, and this is Java $number")))
    }
  }

  Seq("17", "21", "25").foreach { told =>
    test(s"Java $told is taken.") {
      assert(SessionPruning.refusal(told).isEmpty)
    }
  }
}
