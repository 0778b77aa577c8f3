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
   * Returns SQL's result for one row. The caller chooses the result of Unknown, which may be
   * anything, and of False, which may be anything but TRUE.
   */
  private def truth(p: RowGroupPredicate, row: Row, unknown: Truth, falsity: Truth): Truth =
    p match {
      case And(children) =>
        val all = children.map(truth(_, row, unknown, falsity))
        if (all.contains(Some(false))) Some(false)
        else if (all.contains(None)) None
        else Some(true)
      case Or(children) =>
        val all = children.map(truth(_, row, unknown, falsity))
        if (all.contains(Some(true))) Some(true)
        else if (all.contains(None)) None
        else Some(false)
      case Leaf(column, leafTest) => test(leafTest, row(column.toString))
      case False => falsity
      case True => Some(true)
      case Unknown(_) => unknown
    }

  private def exactVerdict(group: Group)(leaf: Leaf): Verdict = {
    val truths = group.map(row => test(leaf.test, row(leaf.column.toString)))
    if (truths.forall(_.contains(true))) AllMatch
    else if (truths.exists(_.contains(true))) MightMatch
    else CannotMatch
  }

  private val unknown = Unknown("unclear")

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
   * Makes groups with few values, and with columns that are sometimes constant or all NULL, so
   * that much can be proven.
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
      // Evidence is often inexact: a leaf may always result in MightMatch.
      val vague = random.nextInt(3)
      def evaluateLeaf(leaf: Leaf): Verdict =
        if (random.nextInt(10) < vague) MightMatch else exactVerdict(group)(leaf)
      val verdict = predicate.evaluate(evaluateLeaf)
      val ofNegation = predicate.negated.evaluate(evaluateLeaf)
      for (unknown <- Seq(None, Some(true), Some(false)); falsity <- Seq(None, Some(false))) {
        val truths = group.map(truth(predicate, _, unknown, falsity))
        def clue = s"$predicate over $group with Unknown = $unknown and False = $falsity"
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
      val original = randomTestOf(random)
      for (cell <- None +: (0L to 4L).map(Some(_))) {
        assert(test(original.negated, cell) == not(test(original, cell)), s"$original of $cell")
      }
      assert(original.negated.negated == original)
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
    assert(False == True.negated)
    assert(False.negated.unknowns == Seq("NOT of a predicate that never matches"))
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

  test("leaves are evaluated from left to right and only as far as needed") {
    def evaluated(p: RowGroupPredicate, verdict: Verdict): Seq[Leaf] = {
      val log = Seq.newBuilder[Leaf]
      p.evaluate { leaf => log += leaf; verdict }
      log.result()
    }
    assert(evaluated(And(Seq(a, b)), CannotMatch) == Seq(a))
    assert(evaluated(And(Seq(b, a)), MightMatch) == Seq(b, a))
    assert(evaluated(Or(Seq(b, a)), AllMatch) == Seq(b))
    assert(evaluated(Or(Seq(a, b)), CannotMatch) == Seq(a, b))
    assert(evaluated(And(Seq(False, a)), MightMatch) == Nil)
  }

  test("leaves returns every test in order") {
    assert(And(Seq(b, Or(Seq(a, unknown)), False)).leaves == Seq(b, a))
  }

  randomTest("merged tests match the same rows and refute no less") { random =>
    var more = 0
    for (_ <- 1 to 50000) {
      def ofOneColumn = And(Seq.fill(3)(Leaf(Seq("a"), randomTestOf(random))))
      val predicate =
        if (random.nextBoolean()) randomPredicate(random, depth = 3) else ofOneColumn
      val merged = predicate.mergeByColumn(_ != ColumnPath.named(Seq("c")))
      val group = randomGroup(random)
      for (unknown <- Seq(Some(true), Some(false)); row <- group)
        assert(
          truth(predicate, row, unknown, None).contains(true) ==
            truth(merged, row, unknown, None).contains(true),
          s"$predicate as $merged of $row")
      val before = predicate.evaluate(exactVerdict(group))
      val after = merged.evaluate(exactVerdict(group))
      if (before == CannotMatch) assert(after == CannotMatch, s"$predicate as $merged")
      if (before != CannotMatch && after == CannotMatch) more += 1
    }
    info(s"refuted $more more")
    assert(more > 100)
  }

  test("only tests that an AND applies to one column are merged, including IS NOT NULL") {
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

  test("AND and OR are flat and without parts that decide nothing") {
    assert(and(Seq(a, True, And(Seq(b, a)))) == And(Seq(a, b, a)))
    assert(or(Seq(a, False, Or(Seq(b, a)))) == Or(Seq(a, b, a)))
    assert(and(Seq(a, False)) == False && or(Seq(a, True)) == True)
    assert(and(Nil) == True && or(Nil) == False)
    assert(and(Seq(a)) == a && or(Seq(a)) == a)
  }

  test("unknowns returns each reason once") {
    val other = Unknown("other")
    assert(And(Seq(a, Or(Seq(unknown, other, b)), unknown)).unknowns == Seq("unclear", "other"))
  }

  test("a predicate can prune exactly if its leaves could refute it") {
    val usable = Seq(a, And(Seq(a, unknown)), Or(Seq(a, b)), False, And(Seq(unknown, False)))
    val useless =
      Seq(unknown, Or(Seq(a, unknown)), And(Seq(unknown, Or(Seq(unknown, b)))), And(Nil), True)
    usable.foreach(p => assert(p.canPrune, p))
    useless.foreach(p => assert(!p.canPrune, p))
  }

  test("files can refute a predicate only by leaves about values") {
    val keys = Leaf(ColumnPath.named(Seq("a")) / ColumnPath.Function(KeyFunction.Tokens), In(Nil))
    assert(keys.canPrune && !keys.canPruneByFiles && a.canPruneByFiles)
    assert(And(Seq(keys, a)).canPruneByFiles && And(Seq(a, unknown)).canPruneByFiles)
    val byIndexAlone = Seq(And(Seq(keys, unknown)), Or(Seq(keys, a)), And(Seq(keys, keys)))
    byIndexAlone.foreach(p => assert(!p.canPruneByFiles, p))
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
