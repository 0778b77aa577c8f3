package io.sbbf.spark.late

import scala.util.Random

/** A query with exactly one answer, of one of the kinds that [[RandomJoins]] generates. */
private[late] final case class RandomJoin(kind: String, text: String)

/**
 * Generates queries with joins and subqueries on [[RandomJoinTables]]. A query is an aggregate, or
 * has the columns `id`, `m` and `z`: a row's number and group, and the number of the row that it
 * meets.
 */
private[late] final class RandomJoins(random: Random, tables: Seq[String])
    extends RandomChoice(random) {
  import RandomJoins._

  private val sides = new RandomSides(random, tables)
  import sides.{anyId, column, few, side}

  private val kinds = weighted[(String, () => String)](
    ("join", join _) -> 6,
    ("IN", membership _) -> 3,
    ("EXISTS", existence _) -> 2,
    ("scalar subquery", scalar _) -> 2,
    ("self-join", selfJoin _) -> 2,
    ("star", star _) -> 2,
    ("one table twice", twice _) -> 2,
    ("CTE used twice", reused _) -> 2
  )

  private val joinKinds = weighted(
    "JOIN" -> 5,
    "CROSS JOIN" -> 1,
    "LEFT JOIN" -> 1,
    "RIGHT JOIN" -> 1,
    "FULL JOIN" -> 1,
    "LEFT SEMI JOIN" -> 1,
    "LEFT ANTI JOIN" -> 1)

  def next(): RandomJoin = {
    val (kind, text) = one(kinds)
    RandomJoin(kind, aggregated(text()))
  }

  private def join(): String = {
    val (table, keys) = keyed()
    val kind = one(joinKinds)
    val both = Seq(s"${fact(table)} a", side(keys, "x"))
    val Seq(left, right) = if (isSemi(kind) || chance(70)) both else both.reverse
    val on = condition(keys, "a", "x")
    val link = if (kind == "CROSS JOIN") s"WHERE $on" else s"ON $on ${where()}"
    val z = if (isSemi(kind)) "0L" else "x.z"
    s"SELECT ${hint()} a.id AS id, a.m AS m, $z AS z FROM $left $kind $right $link"
  }

  private def membership(): String = {
    val (table, keys) = keyed()
    val values = keys.map(_.ofFact("a")).mkString("(", ", ", ")")
    val columns = keys.indices.map(column).mkString(", ")
    val in = s"IN (SELECT $columns FROM ${side(keys, "x")})"
    selected(
      table,
      one(
        weighted(
          s"$values $in" -> 3,
          s"$values NOT $in" -> 1,
          s"($values $in OR a.id < 5)" -> 1,
          s"($values NOT $in OR a.m = 2)" -> 1,
          s"$values $in AND a.m < 4" -> 1))
    )
  }

  private def existence(): String = {
    val (table, keys) = keyed()
    val exists =
      s"EXISTS (SELECT 1 FROM ${side(keys, "x")} WHERE ${condition(keys, "a", "x")})"
    selected(
      table,
      one(weighted(exists -> 3, s"NOT $exists" -> 1, s"($exists OR a.id < 5)" -> 1)))
  }

  private def scalar(): String = {
    val key = one(RandomKey.all)
    val value = key.ofFact("a")
    def results(key: RandomKey)(of: String) = s"(SELECT $of(x1) FROM ${side(Seq(key), "x")})"
    def result(of: String) = results(key)(of)
    val row = s"(SELECT ${key.ofSide} FROM ${one(tables)} WHERE id = ${anyId()})"
    val correlated = s"(SELECT max(x.x1) FROM ${side(Seq(key), "x")} WHERE x.y = a.m)"
    selected(
      one(tables),
      one(
        Seq(
          s"$value = ${result("max")}",
          s"$value = ${result("min")}",
          s"$value = $row",
          s"$value <=> $row",
          s"$value <=> ${result("max")}",
          s"$value > ${result("max")}",
          s"$value <= ${result("min")}",
          // Spark 4.0 fails at lists of dates and decimals
          Seq("max", "min").map(results(RandomKey.long)).mkString("a.k IN (", ", ", ")"),
          s"$value BETWEEN ${result("min")} AND ${result("max")}",
          s"NOT $value = ${result("max")}",
          s"($value = ${result("max")} OR a.id < 5)",
          s"($value = ${result("max")} OR $value = $row)",
          s"$value = $correlated"
        ))
    )
  }

  private def selfJoin(): String = {
    val (table, keys) = keyed()
    val kind = one(Seq("JOIN", "JOIN", "LEFT JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"))
    val on = s"${equal(keys, "a", keys.map(_.ofSide("b")), "b.id")} AND b.id IN (${few()})"
    val z = if (isSemi(kind)) "0L" else "b.id"
    val hint = one(Seq("", "", "/*+ BROADCAST(b) */", "/*+ MERGE(b) */"))
    s"SELECT $hint a.id AS id, a.m AS m, $z AS z FROM $table a $kind $table b ON $on"
  }

  private def star(): String = {
    val table = one(tables)
    val joins = Seq("x", "v", "w").take(2 + random.nextInt(2)).map { alias =>
      val keys = keysOf(table).filter(_.isUnique)
      val some = if (keys.isEmpty) RandomKey.unique.take(1) else keys
      val kind = one(Seq("JOIN", "JOIN", "LEFT JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"))
      s"$kind ${side(some, alias)} ON ${condition(some, "a", alias)}"
    }
    s"SELECT ${hint()} a.id AS id, a.m AS m, 0L AS z FROM ${fact(table)} a ${joins.mkString(" ")}"
  }

  private def twice(): String = {
    val (table, keys) = keyed()
    val (other, others) = if (chance(50)) (table, keysOf(table)) else keyed()
    val (x, v) = (side(keys, "x"), side(others, "v"))
    val (onX, onV) = (condition(keys, "a", "x"), condition(others, "b", "v"))
    if (chance(50))
      s"SELECT a.id AS id, a.m AS m, x.z AS z FROM $table a JOIN $x ON $onX UNION ALL " +
        s"SELECT b.id AS id, b.m AS m, v.z AS z FROM $other b JOIN $v ON $onV"
    else
      s"SELECT a.id AS id, b.m AS m, v.z AS z FROM $table a JOIN $x ON $onX " +
        s"JOIN $other b ON a.id = b.id JOIN $v ON $onV"
  }

  private def reused(): String = {
    val table = one(tables)
    val keys = Seq(one(RandomKey.unique))
    val on = condition(keys, "a", "x")
    def rows(side: String) =
      s"(SELECT /*+ REPARTITION(3) */ a.id AS id, a.m AS m, x.z AS z FROM $table a JOIN $side ON $on)"
    val first = side(keys, "x")
    val second = if (chance(50)) first else side(keys, "x")
    val join = one(Seq("JOIN", "LEFT JOIN", "FULL JOIN"))
    s"WITH t AS ${rows(first)}, u AS ${rows(second)} " +
      s"SELECT p.id AS id, q.m AS m, q.z AS z FROM t p $join u q ON p.id = q.id"
  }

  private def selected(table: String, condition: String): String =
    s"SELECT a.id AS id, a.m AS m, 0L AS z FROM ${fact(table)} a WHERE $condition"

  private def aggregated(query: String): String = one(
    weighted(
      query -> 6,
      s"SELECT m, count(*), sum(id), max(z) FROM ($query) GROUP BY m" -> 1,
      s"SELECT count(*), min(id) FROM ($query)" -> 1,
      s"SELECT * FROM ($query) ORDER BY id, m, z LIMIT 7" -> 1,
      s"SELECT id, count(*) OVER (PARTITION BY m) FROM ($query)" -> 1
    ))

  /** Returns a table and keys of a join on it. */
  private def keyed(): (String, Seq[RandomKey]) = {
    val table = one(tables)
    table -> keysOf(table)
  }

  private def keysOf(table: String): Seq[RandomKey] = {
    val partition = if (table == "parts" && chance(40)) Seq(RandomKey.partition) else Nil
    val number = one(weighted(1 -> 14, 2 -> 4, 3 -> 2))
    val others = Seq.fill(number)(one(RandomKey.all))
    partition ++ (if (chance(8)) random.shuffle(RandomKey.packed) else others)
  }

  /** Returns a table, or those of its rows that some operators let pass. */
  private def fact(table: String): String = {
    val keys = Seq(one(RandomKey.all))
    one(
      weighted(
        table -> 8,
        s"(SELECT * FROM $table WHERE ${one(Static)})" -> 3,
        s"(SELECT * FROM $table ORDER BY id LIMIT 1500)" -> 1,
        s"(SELECT * FROM $table UNION ALL SELECT * FROM $table WHERE m < 2)" -> 1,
        s"(SELECT l.* FROM $table l LEFT SEMI JOIN ${side(keys, "r")} " +
          s"ON ${condition(keys, "l", "r")})" -> 1
      ))
  }

  /** Returns the condition of a join with a side. */
  private def condition(keys: Seq[RandomKey], a: String, x: String): String =
    equal(keys, a, keys.indices.map(i => s"$x.${column(i)}"), s"$x.z")

  /**
   * Returns a condition that keys are equal, and maybe another one.
   *
   * @param values the keys of the other side
   * @param number the number of the other side's row
   */
  private def equal(
      keys: Seq[RandomKey],
      a: String,
      values: Seq[String],
      number: String): String = {
    val pairs = keys.zip(values).map { case (key, value) =>
      s"${key.ofFact(a)} ${if (chance(85)) "=" else "<=>"} $value"
    }
    val more = weighted(
      Seq.empty[String] -> 6,
      Seq(s"$a.id % 2 = 0") -> 1,
      Seq(s"$a.id <> $number") -> 1,
      Seq(s"$number < 1000") -> 1)
    (pairs ++ one(more)).mkString(" AND ")
  }

  private def where(): String = one(
    weighted(
      "" -> 5,
      "WHERE a.id < 1200" -> 1,
      s"WHERE a.k = (SELECT max(k) FROM log WHERE id IN (${few()}))" -> 1))

  private def hint(): String = one(
    weighted(
      "" -> 5,
      "/*+ BROADCAST(x) */" -> 3,
      "/*+ BROADCAST(a) */" -> 1,
      "/*+ MERGE(x) */" -> 2,
      "/*+ SHUFFLE_HASH(x) */" -> 1))
}

private[late] object RandomJoins {

  private def isSemi(join: String): Boolean =
    join.endsWith("SEMI JOIN") || join.endsWith("ANTI JOIN")

  private val Static = Seq(
    "id < 1000",
    "m = 3",
    "d = 0.0D",
    "k IS NOT NULL",
    "f > 0",
    "n IS NULL",
    "c LIKE 'c1%'",
    "c = 'c10'",
    "day < DATE'2010-01-01'",
    "id NOT IN (5, 6)")
}
