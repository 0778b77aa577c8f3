package io.sbbf.core

import scala.util.Random

class RowGroupPredicateSuite extends RandomSuite {
  import RowGroupPredicate._
  import Verdict.{AllMatch, CannotMatch, MightMatch}

  private type Truth = Option[Boolean] // None is SQL's NULL
  private type Row = Map[String, Option[Long]]
  private type Group = Vector[Row]

  private val columns = Vector("a", "b", "c")

  private def literal(v: Long): Value = Value.Integral(v, 64)
  private def number(v: Value): Long = v match {
    case Value.Integral(n, _) => n
    case other => fail(s"not generated: $other")
  }

  private def not(t: Truth): Truth = t.map(!_)

  private def test(test: Test, cell: Option[Long]): Truth = test match {
    case In(values) => cell.map(c => values.exists(number(_) == c))
    case NotIn(values) => cell.map(c => !values.exists(number(_) == c))
    case Less(than, orEqual) => cell.map(c => c < number(than) || (orEqual && c == number(than)))
    case Greater(than, orEqual) =>
      cell.map(c => c > number(than) || (orEqual && c == number(than)))
    case IsNull => Some(cell.isEmpty)
    case IsNotNull => Some(cell.nonEmpty)
  }

  /**
   * What SQL answers for one row. Unknown may be anything, Never anything but TRUE: the caller's
   * choice.
   */
  private def truth(p: RowGroupPredicate, row: Row, unknown: Truth, never: Truth): Truth =
    p match {
      case And(children) =>
        val all = children.map(truth(_, row, unknown, never))
        if (all.contains(Some(false))) Some(false)
        else if (all.contains(None)) None
        else Some(true)
      case Or(children) =>
        val all = children.map(truth(_, row, unknown, never))
        if (all.contains(Some(true))) Some(true)
        else if (all.contains(None)) None
        else Some(false)
      case Leaf(column, asked) => test(asked, row(column.toString))
      case Never => never
      case Unknown => unknown
    }

  private def exactVerdict(group: Group)(leaf: Leaf): Verdict = {
    val truths = group.map(row => test(leaf.test, row(leaf.column.toString)))
    if (truths.forall(_.contains(true))) AllMatch
    else if (truths.exists(_.contains(true))) MightMatch
    else CannotMatch
  }

  private def randomTestOf(random: Random): Test = {
    def value = literal(random.nextInt(4).toLong)
    def values = Seq.fill(1 + random.nextInt(3))(value)
    random.nextInt(6) match {
      case 0 => In(values)
      case 1 => NotIn(values)
      case 2 => Less(value, random.nextBoolean())
      case 3 => Greater(value, random.nextBoolean())
      case 4 => IsNull
      case 5 => IsNotNull
    }
  }

  private def randomPredicate(random: Random, depth: Int): RowGroupPredicate = {
    def children = Seq.fill(random.nextInt(4))(randomPredicate(random, depth - 1))
    random.nextInt(if (depth == 0) 8 else 20) match {
      case 0 => Never
      case 1 => Unknown
      case n if n < 8 => Leaf(Seq(columns(random.nextInt(3))), randomTestOf(random))
      case n if n < 14 => And(children)
      case _ => Or(children)
    }
  }

  /**
   * Few values, and columns that are constant or all NULL now and then, so that much can be
   * proven.
   */
  private def randomGroup(random: Random): Group = {
    def cell = if (random.nextInt(4) == 0) None else Some(random.nextInt(4).toLong)
    val constant: Map[String, Option[Long]] =
      columns.filter(_ => random.nextBoolean()).map(_ -> cell).toMap
    Vector.fill(1 + random.nextInt(4))(columns.map(c => c -> constant.getOrElse(c, cell)).toMap)
  }

  randomTest("no verdict contradicts a row, of the predicate or of its negation") { random =>
    var refuted, proven, refutedNot, provenNot = 0
    for (_ <- 1 to 50000) {
      val predicate = randomPredicate(random, depth = 3)
      val group = randomGroup(random)
      // Evidence is often less than exact: a leaf may always say MightMatch.
      val vague = random.nextInt(3)
      def ask(leaf: Leaf): Verdict =
        if (random.nextInt(10) < vague) MightMatch else exactVerdict(group)(leaf)
      val verdict = predicate.evaluate(ask)
      val ofNegation = predicate.negated.evaluate(ask)
      for (unknown <- Seq(None, Some(true), Some(false)); never <- Seq(None, Some(false))) {
        val truths = group.map(truth(predicate, _, unknown, never))
        def clue = s"$predicate over $group with Unknown = $unknown and Never = $never"
        if (verdict == CannotMatch) assert(!truths.contains(Some(true)), clue)
        if (verdict == AllMatch) assert(truths.forall(_.contains(true)), clue)
        if (ofNegation == CannotMatch) assert(!truths.map(not).contains(Some(true)), clue)
        if (ofNegation == AllMatch) assert(truths.map(not).forall(_.contains(true)), clue)
      }
      if (verdict == CannotMatch) refuted += 1
      if (verdict == AllMatch) proven += 1
      if (ofNegation == CannotMatch) refutedNot += 1
      if (ofNegation == AllMatch) provenNot += 1
    }
    info(s"refuted $refuted, proven $proven; negations: refuted $refutedNot, proven $provenNot")
    assert(Seq(refuted, proven, refutedNot, provenNot).forall(_ > 1000))
  }

  randomTest("a negated test is SQL's NOT of the test, NULL included") { random =>
    for (_ <- 1 to 1000) {
      val asked = randomTestOf(random)
      for (cell <- None +: (0L to 4L).map(Some(_))) {
        assert(test(asked.negated, cell) == not(test(asked, cell)), s"$asked of $cell")
      }
      assert(asked.negated.negated == asked)
    }
  }

  private val a = Leaf(Seq("a"), In(Seq(literal(1))))
  private val b = Leaf(Seq("s", "b"), Less(literal(5), orEqual = true))

  test("negation goes to the leaves and swaps AND with OR") {
    assert(
      And(Seq(a, Or(Seq(b, Unknown)))).negated ==
        Or(
          Seq(
            Leaf(Seq("a"), NotIn(Seq(literal(1)))),
            And(Seq(Leaf(Seq("s", "b"), Greater(literal(5), orEqual = false)), Unknown)))))
    assert(Never.negated == Unknown)
  }

  test("different leaves may refute different arms of one OR") {
    val verdicts = Map[Leaf, Verdict](a -> CannotMatch, b -> MightMatch)
    assert(Or(Seq(a, b)).evaluate(verdicts) == MightMatch)
    assert(Or(Seq(a, b)).evaluate(_ => CannotMatch) == CannotMatch)
    assert(And(Seq(b, a)).evaluate(verdicts) == CannotMatch)
  }

  test("leaves are asked left to right and only as far as needed") {
    def asked(p: RowGroupPredicate, answer: Verdict): Seq[Leaf] = {
      val log = Seq.newBuilder[Leaf]
      p.evaluate { leaf => log += leaf; answer }
      log.result()
    }
    assert(asked(And(Seq(a, b)), CannotMatch) == Seq(a))
    assert(asked(And(Seq(b, a)), MightMatch) == Seq(b, a))
    assert(asked(Or(Seq(b, a)), AllMatch) == Seq(b))
    assert(asked(Or(Seq(a, b)), CannotMatch) == Seq(a, b))
    assert(asked(And(Seq(Never, a)), MightMatch) == Nil)
  }

  test("leaves lists every test, in order") {
    assert(And(Seq(b, Or(Seq(a, Unknown)), Never)).leaves == Seq(b, a))
  }

  test("a predicate is usable exactly if its leaves could refute it") {
    val usable = Seq(a, And(Seq(a, Unknown)), Or(Seq(a, b)), Never, And(Seq(Unknown, Never)))
    val useless =
      Seq(Unknown, Or(Seq(a, Unknown)), And(Seq(Unknown, Or(Seq(Unknown, b)))), And(Nil))
    usable.foreach(p => assert(p.isUsable, p))
    useless.foreach(p => assert(!p.isUsable, p))
  }

  test("byte values are equal by content and never print it") {
    val secret = Value.Bytes("secret".getBytes("UTF-8"), text = true)
    assert(secret == Value.Bytes("secret".getBytes("UTF-8"), text = true))
    assert(secret.hashCode == Value.Bytes("secret".getBytes("UTF-8"), text = true).hashCode)
    assert(secret != Value.Bytes("secret".getBytes("UTF-8"), text = false))
    assert(secret != Value.Bytes("secre".getBytes("UTF-8"), text = true))
    assert(!Leaf(Seq("a"), In(Seq(secret))).toString.contains("secret"))
  }
}
