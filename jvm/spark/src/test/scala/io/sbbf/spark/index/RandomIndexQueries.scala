package io.sbbf.spark.index

import scala.util.Random

/** Generates queries on a [[RandomIndexTable]], which is the view `t`, and on a table of ids, `side`. */
private[index] final class RandomIndexQueries(random: Random) {
  import RandomIndexQueries._

  def next(): String = {
    val table = if (chance(15)) s"(SELECT * FROM t WHERE part = ${random.nextInt(4)})" else "t"
    random.nextInt(10) match {
      case 0 => s"SELECT a.id FROM $table a JOIN ${side("x")} ON ${equal("x")}"
      case 1 => s"SELECT a.id FROM $table a LEFT SEMI JOIN ${side("x")} ON ${equal("x")}"
      case 2 => s"SELECT a.id FROM $table a WHERE $membership AND ${condition(1)}"
      case 3 => s"SELECT count(*), min(id), max(part) FROM $table a WHERE ${condition(1)}"
      case _ => s"SELECT id, part, key FROM $table a WHERE ${condition(2)}"
    }
  }

  private def condition(depth: Int): String = random.nextInt(if (depth == 0) 1 else 6) match {
    case 0 | 1 => leaf
    case 2 | 3 => s"(${condition(depth - 1)} AND ${condition(depth - 1)})"
    case 4 => s"(${condition(depth - 1)} OR ${condition(depth - 1)})"
    case 5 => s"NOT (${condition(depth - 1)})"
  }

  private def leaf: String = random.nextInt(17) match {
    case 14 | 15 => one(Texts).replace("$", s"hash(${id()}L)")
    case 16 =>
      one(Seq(s"a.inner.s LIKE '%-${id()}'", s"exists(a.tags, x -> x LIKE '%ag-${id()}')"))
    case 0 => s"array_contains(a.tags, 'tag-${id()}')"
    case 1 => one(Seq("array_contains(a.tags, '')", s"map_contains_key(a.map, 'm-${id()}')"))
    case 2 => s"a.map['m-${id()}'] ${one(Seq("=", "<=>"))} ${id()}"
    case 3 => s"a.inner.x = xxhash64(${id()}L, 4)"
    case 4 => one(Seq(s"a.inner.s = 's-${id()}'", "a.inner.s IS NULL", "a.inner IS NULL"))
    case 5 => s"a.${one(flat)} IS ${one(Seq("", "NOT "))}NULL"
    case 6 => s"a.id ${one(Seq("<", ">=", "="))} ${id()}"
    case 7 =>
      val column = one(flat)
      s"a.$column IN (${Seq.fill(1 + random.nextInt(4))(literal(column)).mkString(", ")})"
    case 8 => one(Special)
    case _ =>
      val column = one(flat)
      s"a.$column ${one(Operators)} ${literal(column)}"
  }

  private def membership: String = {
    val column = one(flat)
    s"a.$column ${one(Seq("IN", "IN", "NOT IN"))} (SELECT ${of(column, "id")} FROM side " +
      s"WHERE id IN (${few()}))"
  }

  private var keys = Seq.empty[String]

  /** Returns a small table with keys, which [[equal]] compares. */
  private def side(alias: String): String = {
    keys = random.shuffle(flat).take(1 + random.nextInt(2))
    val columns = keys.map(key => s"${of(key, "id")} AS `$key`").mkString(", ")
    s"(SELECT $columns FROM side WHERE id IN (${few()})) $alias"
  }

  private def equal(alias: String): String =
    keys.map(key => s"a.`$key` ${one(Seq("=", "=", "<=>"))} $alias.`$key`").mkString(" AND ")

  private def few(): String = Seq.fill(1 + random.nextInt(3))(id()).mkString(", ")
  private def literal(column: String): String = of(column, s"${id()}L")
  private def of(column: String, id: String): String = RandomIndexTable.value(column, id)

  /** Returns the id of a row, or of one that does not exist. */
  private def id(): Int = random.nextInt(RandomIndexTable.Ids + 500)

  private def chance(percent: Int): Boolean = random.nextInt(100) < percent
  private def one[T](of: Seq[T]): T = of(random.nextInt(of.size))
}

private[index] object RandomIndexQueries {
  private val flat = RandomIndexTable.Values.map(_._1).filterNot(Set("inner", "tags", "map"))

  private val Operators = Seq("=", "=", "=", "=", "<=>", "<=>", "<>", "<")

  /** Tests of a part of a name, in which `$` stands for the number of some row. */
  private val Texts = Seq(
    "a.name LIKE concat('%-', $)",
    "a.name LIKE concat('%-', $, '%')",
    "a.name LIKE concat('_ame-', $)",
    "a.name NOT LIKE concat('%-', $)",
    "a.name LIKE substr(concat('name-', $), 1, 11) || '%'",
    "contains(a.name, cast($ AS string))",
    "contains(a.name, concat('-', $))",
    "endswith(a.name, concat('e-', $))",
    "startswith(a.name, concat('name-', $))",
    "lower(a.name) = concat('name-', $)",
    "lower(a.name) <=> concat('NAME-', $)",
    "lower(a.name) IN (concat('name-', $), '', NULL)"
  )

  /** Values that are hard to compare. */
  private val Special = Seq(
    "a.real = double('NaN')",
    "a.real = 0.0D",
    "a.real IN (-0.0D, 5)",
    "a.small = float('NaN')",
    "a.small <=> float('-0.0')",
    "a.small = 0.1D",
    "a.name = ''",
    "a.key <=> NULL",
    "a.key = 3000000000",
    "a.key IN (NULL, -1)",
    "a.few = 5.0D",
    "a.tiny = 300",
    "a.key IS NULL AND a.name IS NULL",
    "a.name LIKE 'name-1%'",
    "a.price = 12.345",
    "a.day BETWEEN DATE'1500-01-01' AND DATE'1500-02-01'",
    "a.time < TIMESTAMP'1582-10-15 00:00:00'"
  )
}
