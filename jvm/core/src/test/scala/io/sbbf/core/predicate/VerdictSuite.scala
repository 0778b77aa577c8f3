package io.sbbf.core.predicate

import org.scalatest.funsuite.AnyFunSuite

class VerdictSuite extends AnyFunSuite {
  import Verdict.{AllMatch => A, CannotMatch => C, MightMatch => M}

  test("AND and OR follow their truth tables") {
    val table = Seq[(Verdict, Verdict, Verdict, Verdict)](
      (C, C, C, C),
      (C, M, C, M),
      (C, A, C, A),
      (M, C, C, M),
      (M, M, M, M),
      (M, A, M, A),
      (A, C, C, A),
      (A, M, M, A),
      (A, A, A, A))
    for ((left, right, both, either) <- table) {
      assert((left and right) == both, s"$left and $right")
      assert((left or right) == either, s"$left or $right")
    }
  }

  test("a side that decides alone does not evaluate the other") {
    def notEvaluated: Verdict = fail("was evaluated")
    assert((C and notEvaluated) == C)
    assert((A or notEvaluated) == A)
  }
}
