package io.sbbf.core.predicate

import scala.util.Random

import io.sbbf.core.bloom.RandomSuite

class RowGroupPredicateSuite extends RandomSuite {
  import RowGroupPredicate._
  import Verdict.{AllMatch, CannotMatch, MightMatch}

  private type Truth = Option[Boolean] // None is SQL's NULL
  private type Row = Map[String, Option[Long]]
  private type Group = Vector[Row]

  private val columns = Vector("a", "b", "c")

  private def literal(v: Long): Value = Value.IntegerLiteral(v, 64)
  private def number(v: Value): Long = v match {
    case Value.IntegerLiteral(n, _) => n
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
    case AllOf(tests) =>
      if (cell.isEmpty) None else Some(tests.forall(this.test(_, cell).contains(true)))
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
      case False => never
      case True => Some(true)
      case Unknown(_) => unknown
    }

  private def exactVerdict(group: Group)(leaf: Leaf): Verdict = {
    val truths = group.map(row => test(leaf.test, row(leaf.column.toString)))
    if (truths.forall(_.contains(true))) AllMatch
    else if (truths.exists(_.contains(true))) MightMatch
    else CannotMatch
  }

  private val unknown = Unknown("untold")

  private def randomTestOf(random: Random): SimpleTest = {
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

  private def randomLeaf(random: Random): Leaf = {
    val tests = Seq.fill(1 + random.nextInt(3))(randomTestOf(random))
    val ofValues = tests.filter(t => t != IsNull && t != IsNotNull)
    val test = if (ofValues.size > 1) AllOf(ofValues) else tests.head
    Leaf(Seq(columns(random.nextInt(3))), test)
  }

  private def randomPredicate(random: Random, depth: Int): RowGroupPredicate = {
    def children = Seq.fill(random.nextInt(4))(randomPredicate(random, depth - 1))
    random.nextInt(if (depth == 0) 9 else 21) match {
      case 0 => False
      case 1 => unknown
      case 2 => True
      case n if n < 9 => randomLeaf(random)
      case n if n < 15 => And(children)
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
        def clue = s"$predicate over $group with Unknown = $unknown and False = $never"
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
      And(Seq(a, Or(Seq(b, unknown)))).negated ==
        Or(
          Seq(
            Leaf(Seq("a"), NotIn(Seq(literal(1)))),
            And(Seq(Leaf(Seq("s", "b"), Greater(literal(5), orEqual = false)), unknown)))))
    assert(True.negated == False)
    assert(False.negated.unknowns == Seq("NOT of what never matches"))
    val between = AllOf(Seq(Less(literal(5), orEqual = true), NotIn(Seq(literal(1)))))
    assert(
      Leaf(Seq("a"), between).negated ==
        Or(Seq(Leaf(Seq("a"), Greater(literal(5), orEqual = false)), a)))
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
    assert(asked(And(Seq(False, a)), MightMatch) == Nil)
  }

  test("leaves lists every test, in order") {
    assert(And(Seq(b, Or(Seq(a, unknown)), False)).leaves == Seq(b, a))
  }

  randomTest("joined tests match the same rows, and refute no less") { random =>
    var more = 0
    for (_ <- 1 to 50000) {
      def ofOneColumn = And(Seq.fill(3)(Leaf(Seq("a"), randomTestOf(random))))
      val predicate =
        if (random.nextBoolean()) randomPredicate(random, depth = 3) else ofOneColumn
      val joined = predicate.mergeByColumn(_ != Seq("c"))
      val group = randomGroup(random)
      for (unknown <- Seq(Some(true), Some(false)); row <- group)
        assert(
          truth(predicate, row, unknown, None).contains(true) ==
            truth(joined, row, unknown, None).contains(true),
          s"$predicate as $joined of $row")
      val before = predicate.evaluate(exactVerdict(group))
      val after = joined.evaluate(exactVerdict(group))
      if (before == CannotMatch) assert(after == CannotMatch, s"$predicate as $joined")
      if (before != CannotMatch && after == CannotMatch) more += 1
    }
    info(s"refuted $more more")
    assert(more > 100)
  }

  test("only tests that AND puts to one column are joined, and IS NOT NULL is one of them") {
    def leaf(column: String, test: Test) = Leaf(Seq(column), test)
    val (low, high) = (Greater(literal(1), orEqual = true), Less(literal(9), orEqual = false))
    val everyColumn = (_: ColumnPath) => true
    def mergeByColumn(parts: RowGroupPredicate*) = And(parts).mergeByColumn(everyColumn)
    assert(
      mergeByColumn(leaf("a", low), b, And(Seq(leaf("a", IsNotNull), leaf("a", high)))) ==
        And(Seq(leaf("a", AllOf(Seq(low, high))), b)))
    assert(mergeByColumn(leaf("a", low), leaf("a", IsNotNull)) == leaf("a", low))
    assert(mergeByColumn(leaf("a", IsNotNull), leaf("a", IsNotNull)) == leaf("a", IsNotNull))
    val apart = Seq(
      And(Seq(leaf("a", low), leaf("a", IsNull))),
      Or(Seq(leaf("a", low), leaf("a", high))),
      And(Seq(leaf("a", low), leaf("b", high))))
    apart.foreach(p => assert(p.mergeByColumn(everyColumn) == p))
    val repeated = And(Seq(leaf("a", low), leaf("a", high)))
    assert(repeated.mergeByColumn(_ => false) == repeated)
  }

  test("AND and OR are flat, and without what decides nothing") {
    assert(and(Seq(a, True, And(Seq(b, a)))) == And(Seq(a, b, a)))
    assert(or(Seq(a, False, Or(Seq(b, a)))) == Or(Seq(a, b, a)))
    assert(and(Seq(a, False)) == False && or(Seq(a, True)) == True)
    assert(and(Nil) == True && or(Nil) == False)
    assert(and(Seq(a)) == a && or(Seq(a)) == a)
  }

  test("the reasons of what is unknown are told once") {
    val other = Unknown("other")
    assert(And(Seq(a, Or(Seq(unknown, other, b)), unknown)).unknowns == Seq("untold", "other"))
  }

  test("a predicate is usable exactly if its leaves could refute it") {
    val usable = Seq(a, And(Seq(a, unknown)), Or(Seq(a, b)), False, And(Seq(unknown, False)))
    val useless =
      Seq(unknown, Or(Seq(a, unknown)), And(Seq(unknown, Or(Seq(unknown, b)))), And(Nil), True)
    usable.foreach(p => assert(p.canPrune, p))
    useless.foreach(p => assert(!p.canPrune, p))
  }

  test("numbers are equal as in Spark, so that a predicate equals itself") {
    val (nan, payload) = (Double.NaN, java.lang.Double.longBitsToDouble(0x7ff8000000000123L))
    val equal = Seq[(Value, Value)](
      Value.DoubleLiteral(nan) -> Value.DoubleLiteral(payload),
      Value.DoubleLiteral(0.0) -> Value.DoubleLiteral(-0.0),
      Value.FloatLiteral(Float.NaN) -> Value.FloatLiteral(payload.toFloat),
      Value.FloatLiteral(0.0f) -> Value.FloatLiteral(-0.0f)
    )
    for ((a, b) <- equal) assert(a == b && a.hashCode == b.hashCode)
    assert(
      Value.DoubleLiteral(nan) != Value.DoubleLiteral(1.0) && Value.FloatLiteral(1.0f) != Value
        .DoubleLiteral(1.0))
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
